package lowest;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import org.json.JSONArray;
import org.json.JSONObject;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ.Socket;

/** A bot for every game: it wins each trick as cheaply as it can. Its policy is decide. */
public final class Lowest {
  private final Map<Long, JSONObject> starts = new HashMap<>(); // of the tables in play

  /** The answers to one message of the referee. Most messages need none. */
  List<JSONObject> replies(JSONObject message) {
    long table = message.optLong("table");
    List<JSONObject> answers = new ArrayList<>();
    JSONObject answer = new JSONObject().put("id", message.opt("id"));
    switch (message.optString("type")) {
      case "start" -> starts.put(table, message);
      case "end" -> {
        if (message.getBoolean("over")) {
          starts.remove(table);
        }
      }
      case "ask" -> {
        String action = decide(message, starts.get(table));
        answers.add(answer.put("type", "act").put("action", action));
      }
      case "ping" -> answers.add(answer.put("type", "pong"));
      case "batch" -> {
        for (Object part : message.getJSONArray("messages")) {
          answers.addAll(replies((JSONObject) part));
        }
      }
      case "fault" -> System.err.println("lowest: " + message);
      default -> {
        // nothing to answer
      }
    }
    return answers;
  }

  /** The lowest card that wins the trick, else the lowest card; the first action if no card. */
  static String decide(JSONObject ask, JSONObject start) {
    JSONObject view = ask.getJSONObject("view");
    List<String> cards = new ArrayList<>();
    for (Object action : ask.getJSONArray("legal")) {
      if (action.toString().matches("[2-9TJQKA][SHDC]")) {
        cards.add(action.toString());
      }
    }
    if (!view.getString("phase").equals("play") || cards.isEmpty()) {
      return ask.getJSONArray("legal").getString(0);
    }
    String order = order(view, start);
    String trump = view.optString("trump");
    BiPredicate<String, String> beats =
        (card, other) ->
            card.charAt(1) == other.charAt(1)
                ? order.indexOf(card.charAt(0)) > order.indexOf(other.charAt(0))
                : trump.equals(card.substring(1));
    String best = "";
    for (Object play : view.getJSONArray("trick")) {
      String card = ((JSONArray) play).getString(1);
      best = best.isEmpty() || beats.test(card, best) ? card : best;
    }
    cards.sort(Comparator.comparingInt(card -> order.indexOf(card.charAt(0))));
    for (String card : cards) {
      if (!best.isEmpty() && beats.test(card, best)) {
        return card;
      }
    }
    return cards.get(0);
  }

  /** The ranks from low to high in this deal. */
  private static String order(JSONObject view, JSONObject start) {
    JSONObject rules = start.optJSONObject("rules", new JSONObject());
    if ("sooli".equals(view.opt("contract")) && rules.optString("sooli_ace").equals("low")) {
      return "A23456789TJQK";
    }
    boolean aceTen = List.of("marjapussi", "bondtolva").contains(start.optString("game"));
    aceTen |= rules.optString("rank_order").equals("ace_ten");
    return aceTen ? "23456789JQKTA" : "23456789TJQKA";
  }

  /** Plays until the referee says bye or is gone. */
  public static void main(String[] arguments) {
    String endpoint = System.getenv("REFEREE_ENDPOINT");
    String token = System.getenv("REFEREE_TOKEN");
    if (endpoint == null || token == null) {
      System.err.println("lowest: REFEREE_ENDPOINT or REFEREE_TOKEN is not set");
      System.exit(1);
    }
    Thread watch = new Thread(Lowest::leaveWithReferee);
    watch.setDaemon(true);
    watch.start();
    try (ZContext context = new ZContext()) {
      Socket socket = context.createSocket(SocketType.DEALER);
      // JeroMQ 0.6.0 now and then connects and then says nothing; after this time it connects anew.
      socket.setHandshakeIvl(2000);
      socket.connect(endpoint);
      JSONObject hello = new JSONObject(Map.of("type", "hello", "protocol", List.of(1)));
      hello.put("token", token).put("name", "lowest-java").put("version", "1.0.0");
      socket.send(hello.put("tables", 64).put("batch", true).toString());
      Lowest bot = new Lowest();
      JSONObject message = new JSONObject(socket.recvStr());
      while (!message.optString("type").equals("bye")) {
        bot.replies(message).forEach(reply -> socket.send(reply.toString()));
        message = new JSONObject(socket.recvStr());
      }
    }
  }

  /** Standard input ends when the referee is gone. */
  private static void leaveWithReferee() {
    new BufferedReader(new InputStreamReader(System.in)).lines().forEach(line -> {});
    Runtime.getRuntime().halt(0);
  }
}
