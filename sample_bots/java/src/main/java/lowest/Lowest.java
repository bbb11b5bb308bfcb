package lowest;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ.Socket;

/** A bot for every game: it wins each trick as cheaply as it can. Its policy is decide. */
public final class Lowest {
  private static final String ACE_TEN = "23456789JQKTA"; // ranks from low to high
  private static final String PLAIN = "23456789TJQKA";
  private static final String ACE_LOW = "A23456789TJQK";

  private final Map<Long, JSONObject> starts = new HashMap<>(); // of the tables in play

  /** The answers to one message of the referee. Most messages need none. */
  List<JSONObject> replies(JSONObject message) {
    String type = message.optString("type");
    long table = message.optLong("table");
    JSONObject answer = new JSONObject().put("id", message.opt("id"));
    return switch (type) {
      case "ask" -> {
        String action = decide(message, starts.getOrDefault(table, new JSONObject()));
        yield List.of(answer.put("type", "act").put("action", action));
      }
      case "ping" -> List.of(answer.put("type", "pong"));
      case "batch" -> {
        Stream<JSONObject> parts = stream(message, "messages", JSONObject.class);
        yield parts.flatMap(part -> replies(part).stream()).toList();
      }
      default -> {
        if (type.equals("start")) {
          starts.put(table, message);
        } else if (type.equals("end") && message.optBoolean("over")) {
          starts.remove(table);
        } else if (type.equals("fault")) {
          System.err.println("lowest: " + message);
        }
        yield List.of();
      }
    };
  }

  /** The lowest card that wins the trick, else the lowest card; the first action if no card. */
  static String decide(JSONObject ask, JSONObject start) {
    JSONObject view = ask.optJSONObject("view", new JSONObject());
    List<String> cards = stream(ask, "legal", String.class).filter(Lowest::isCard).toList();
    if (!view.optString("phase").equals("play") || cards.isEmpty()) {
      return stream(ask, "legal", String.class).findFirst().orElse("");
    }
    String order = order(view, start);
    String trump = view.optString("trump");
    BiPredicate<String, String> beats =
        (card, other) ->
            card.charAt(1) == other.charAt(1)
                ? order.indexOf(card.charAt(0)) > order.indexOf(other.charAt(0))
                : trump.equals(card.substring(1));
    String best =
        stream(view, "trick", JSONArray.class)
            .map(play -> play.optString(1))
            .filter(Lowest::isCard)
            .reduce("", (top, card) -> top.isEmpty() || beats.test(card, top) ? card : top);
    Comparator<String> cheapest = Comparator.comparingInt(card -> order.indexOf(card.charAt(0)));
    return cards.stream()
        .filter(card -> !best.isEmpty() && beats.test(card, best))
        .min(cheapest)
        .orElseGet(() -> cards.stream().min(cheapest).orElseThrow());
  }

  /** The ranks from low to high in this deal. */
  private static String order(JSONObject view, JSONObject start) {
    JSONObject rules = start.optJSONObject("rules", new JSONObject());
    if ("sooli".equals(view.opt("contract")) && rules.optString("sooli_ace").equals("low")) {
      return ACE_LOW;
    }
    boolean aceTen = List.of("marjapussi", "bondtolva").contains(start.optString("game"));
    return aceTen || rules.optString("rank_order").equals("ace_ten") ? ACE_TEN : PLAIN;
  }

  /** Whether an action plays a card: rank and suit, such as TH. */
  private static boolean isCard(String action) {
    return action.matches("[2-9TJQKA][SHDC]");
  }

  /** The items of a list that are of a kind; none where there is no such list. */
  private static <T> Stream<T> stream(JSONObject object, String key, Class<T> kind) {
    JSONArray items = object.optJSONArray(key, new JSONArray());
    return StreamSupport.stream(items.spliterator(), false)
        .filter(kind::isInstance)
        .map(kind::cast);
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
      context.setLinger(200);
      Socket socket = context.createSocket(SocketType.DEALER);
      // JeroMQ 0.6.0 now and then connects and then says nothing; after this time it connects anew.
      socket.setHandshakeIvl(2000);
      socket.connect(endpoint);
      JSONObject hello = new JSONObject(Map.of("type", "hello", "protocol", List.of(1)));
      hello.put("token", token).put("name", "lowest-java").put("version", "1.0.0");
      socket.send(hello.put("tables", 64).put("batch", true).toString());
      socket.setReceiveTimeOut(10_000);
      String text = socket.recvStr();
      if (text == null) {
        System.err.println("lowest: no answer to hello");
        System.exit(1);
      }
      socket.setReceiveTimeOut(-1);
      Lowest bot = new Lowest();
      for (; text != null; text = socket.recvStr()) {
        try {
          JSONObject message = new JSONObject(text);
          if (message.optString("type").equals("bye")) {
            return;
          }
          bot.replies(message).forEach(reply -> socket.send(reply.toString()));
        } catch (JSONException error) {
          System.err.println("lowest: passed over what is no message: " + error.getMessage());
        }
      }
    }
  }

  /** Standard input ends when the referee is gone. */
  private static void leaveWithReferee() {
    try {
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException error) {
      System.err.println("lowest: " + error.getMessage());
    }
    Runtime.getRuntime().halt(0);
  }
}
