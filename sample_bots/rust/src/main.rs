//! A bot for every game of the protocol: it wins each trick as cheaply as it can.
//! Its policy is `decide`; all the rest is the protocol.

use std::{collections::HashMap, env, error::Error, io, process, thread, time::Duration};

use serde_json::{Value, json};
use tokio::{runtime, time};
use zeromq::{DealerSocket, Socket, SocketRecv, SocketSend};

#[cfg(test)]
mod tests;

/// Ranks from low to high.
const ACE_TEN: &str = "23456789JQKTA";
const PLAIN: &str = "23456789TJQKA";
const ACE_LOW: &str = "A23456789TJQK";

/// What is kept: the `start` of every table in play, by its number.
#[derive(Default)]
struct Bot {
    starts: HashMap<u64, Value>,
}

impl Bot {
    /// Reads one message and gives the answers to it; None when it said bye.
    fn take(&mut self, data: &[u8]) -> Option<Vec<Value>> {
        match serde_json::from_slice::<Value>(data) {
            Ok(message) if message["type"] == "bye" => return None,
            Ok(message) => return Some(self.replies(message)),
            Err(error) => eprintln!("lowest: passed over what is no message: {error}"),
        }
        Some(vec![])
    }

    /// The answers to one message. Most messages need none.
    fn replies(&mut self, mut message: Value) -> Vec<Value> {
        let table = message["table"].as_u64().unwrap_or(0);
        match message["type"].as_str() {
            Some("start") => drop(self.starts.insert(table, message)),
            Some("end") if message["over"] == true => drop(self.starts.remove(&table)),
            Some("ask") => {
                let start = self.starts.get(&table).unwrap_or(&Value::Null);
                let id = &message["id"];
                let act = |action| json!({"type": "act", "id": id, "action": action});
                return decide(&message, start).map(act).into_iter().collect();
            }
            Some("ping") => return vec![json!({"type": "pong", "id": message["id"]})],
            Some("batch") => {
                let Value::Array(parts) = message["messages"].take() else {
                    return vec![];
                };
                return parts
                    .into_iter()
                    .flat_map(|part| self.replies(part))
                    .collect();
            }
            Some("fault") => eprintln!("lowest: {message}"),
            _ => {}
        }
        vec![]
    }
}

/// The lowest card that wins the trick as it lies, else the lowest card; where there is no card to
/// play, the first legal action. None only where nothing is legal.
fn decide<'a>(ask: &'a Value, start: &Value) -> Option<&'a str> {
    let view = &ask["view"];
    let legal: Vec<&str> = ask["legal"]
        .as_array()?
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let cards = || legal.iter().copied().filter(|action| is_card(action));
    if view["phase"] != "play" || cards().next().is_none() {
        return legal.first().copied();
    }
    let order = order(view, start);
    let rank = |card: &&str| order.find(&card[..1]);
    let beats = |card: &str, other: &str| match card[1..] == other[1..] {
        true => rank(&card) > rank(&other),
        false => view["trump"] == card[1..],
    };
    let trick = view["trick"].as_array().into_iter().flatten();
    let played = trick
        .filter_map(|play| play[1].as_str())
        .filter(|card| is_card(card));
    let best = played.reduce(|best, card| if beats(card, best) { card } else { best });
    let winning = cards().filter(|card| best.is_some_and(|best| beats(card, best)));
    winning
        .min_by_key(rank)
        .or_else(|| cards().min_by_key(rank))
}

/// The ranks from low to high in this deal.
fn order(view: &Value, start: &Value) -> &'static str {
    let (game, rules) = (&start["game"], &start["rules"]);
    if view["contract"] == "sooli" && rules["sooli_ace"] == "low" {
        ACE_LOW
    } else if rules["rank_order"] == "ace_ten" || game == "marjapussi" || game == "bondtolva" {
        ACE_TEN
    } else {
        PLAIN
    }
}

/// Whether an action plays a card: rank and suit, such as TH.
fn is_card(action: &str) -> bool {
    matches!(action.as_bytes(), [rank, b'S' | b'H' | b'D' | b'C'] if PLAIN.as_bytes().contains(rank))
}

async fn play(endpoint: &str, token: &str) -> Result<(), Box<dyn Error>> {
    let mut socket = DealerSocket::new();
    socket.connect(endpoint).await?;
    let hello = json!({"type": "hello", "protocol": [1], "token": token, "name": "lowest-rust",
        "version": env!("CARGO_PKG_VERSION"), "tables": 64, "batch": true});
    socket.send(hello.to_string().into()).await?;
    let welcome = time::timeout(Duration::from_secs(10), socket.recv()).await;
    let mut received = welcome.map_err(|_| "no answer to hello")??;
    let mut bot = Bot::default();
    while let Some(answers) = bot.take(&received.into_vec().concat()) {
        for answer in answers {
            socket.send(answer.to_string().into()).await?;
        }
        received = socket.recv().await?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let variable = |name| env::var(name).map_err(|_| format!("{name} is not set"));
    let (endpoint, token) = (variable("REFEREE_ENDPOINT")?, variable("REFEREE_TOKEN")?);
    // Standard input ends when the referee is gone.
    thread::spawn(|| io::copy(&mut io::stdin(), &mut io::sink()).map(|_| process::exit(0)));
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(play(&endpoint, &token))
}
