package lowest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.json.JSONArray;
import org.json.JSONObject;

/** Tests of the bot: gives it every recorded conversation, and some tricks. */
final class Replay {
  private static final Set<String> GAMES =
      Set.of("huutopussi", "marjapussi", "bondtolva", "tuppi", "minnesota");

  private Replay() {}

  private static void expect(Object wanted, Object found, Object about) {
    if (!wanted.equals(found)) {
      throw new AssertionError(about + ": " + found + " instead of " + wanted);
    }
  }

  private static List<JSONObject> parts(JSONObject message) {
    List<JSONObject> found = new ArrayList<>();
    JSONArray items = message.optJSONArray("messages", new JSONArray().put(message));
    items.forEach(item -> found.add((JSONObject) item));
    return found;
  }

  /** Replays one conversation and adds the games of its asks. */
  private static void replay(List<JSONObject> lines, Set<String> games) {
    Map<Object, String> said = new HashMap<>();
    for (JSONObject line : lines) {
      if (line.optString("from").equals("bot")) {
        parts(line.getJSONObject("message"))
            .forEach(part -> said.put(part.opt("id"), part.optString("action")));
      }
    }
    JSONObject otherwise = lines.get(0).optJSONObject("answers", new JSONObject());
    Lowest bot = new Lowest();
    for (JSONObject line : lines) {
      if (!line.optString("from").equals("referee")) {
        continue;
      }
      JSONObject message = line.getJSONObject("message");
      List<JSONObject> replies = new ArrayList<>(bot.replies(message));
      for (JSONObject part : parts(message)) {
        String type = part.getString("type");
        if (type.equals("ask") || type.equals("ping")) {
          JSONObject reply = replies.remove(0);
          expect(part.get("id"), reply.get("id"), part);
          expect(type.equals("ask") ? "act" : "pong", reply.get("type"), part);
          if (type.equals("ask")) {
            JSONObject view = part.getJSONObject("view");
            games.add(view.getString("game"));
            expect(true, part.getJSONArray("legal").toList().contains(reply.get("action")), part);
            if (!view.get("phase").equals("play") && !otherwise.has("" + part.get("id"))) {
              expect(said.get(part.get("id")), reply.get("action"), part);
            }
          }
        }
      }
      expect(List.of(), replies, message);
    }
  }

  private static void play(String wanted, String start, String view, String legal) {
    JSONObject ask = new JSONObject("{\"legal\": " + legal + "}");
    ask.put("view", new JSONObject(view).put("phase", "play"));
    expect(wanted, Lowest.decide(ask, new JSONObject(start)), ask);
  }

  /** Replays all; the first argument is the folder of the conversations. */
  public static void main(String[] arguments) throws IOException {
    Set<String> games = new HashSet<>();
    try (Stream<Path> files = Files.list(Path.of(arguments[0]))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".jsonl")).toList()) {
        replay(Files.readAllLines(file).stream().map(JSONObject::new).toList(), games);
      }
    }
    expect(GAMES, games, "games of the conversations");
    play("7H", "{}", "{trick: []}", "[KS, 7H, whole]");
    play("JS", "{}", "{trick: [[1, TS]]}", "[2S, JS, AS]");
    play("9S", "{}", "{trick: [[1, AS]]}", "[QS, 9S]");
    play("8H", "{}", "{trick: [[1, AS], [2, 5H], [3, KS]], trump: H}", "[4H, 8H, 9H]");
    play("TS", "{game: marjapussi}", "{trick: [[1, KS]]}", "[JS, TS]");
    play("7S", "{rules: {rank_order: ace_ten}}", "{trick: [[1, TS]]}", "[7S, KS]");
    play("KS", "{rules: {rank_order: plain}}", "{trick: [[1, TS]]}", "[7S, KS]");
    String low = "{rules: {sooli_ace: low}}";
    play("4S", low, "{trick: [[1, 2S]], contract: sooli}", "[4S, AS]");
    play("AS", low, "{trick: [[1, KS]], contract: rami}", "[4S, AS]");
    System.out.println("all conversations and tricks are as they should be");
  }
}
