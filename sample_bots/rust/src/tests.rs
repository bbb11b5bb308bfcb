use std::collections::{HashMap, HashSet};
use std::{fs, path::Path};

use super::*;

type Lines = Vec<Value>;

/// Every recorded conversation, with the name of its file.
fn conversations() -> Vec<(String, Lines)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../protocol/vectors");
    let paths = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let vectors = paths.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    let read = |path: std::path::PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let lines = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        (path.display().to_string(), lines)
    };
    let is_conversation = |lines: &Lines| lines.iter().any(|line| line["from"] == "referee");
    vectors
        .map(read)
        .filter(|(_, lines)| is_conversation(lines))
        .collect()
}

/// A message, or the messages of a batch.
fn parts(message: &Value) -> Vec<Value> {
    match message["messages"].as_array() {
        Some(parts) => parts.clone(),
        None => vec![message.clone()],
    }
}

/// The actions of the recording by the id of their ask.
fn recorded(lines: &Lines) -> HashMap<u64, Value> {
    let said = lines.iter().filter(|line| line["from"] == "bot");
    said.flat_map(|line| parts(&line["message"]))
        .filter(|part| part["type"] == "act")
        .map(|act| (act["id"].as_u64().unwrap(), act["action"].clone()))
        .collect()
}

#[test]
fn recorded_conversations_are_answered() {
    let mut games = HashSet::new();
    for (name, lines) in conversations() {
        let (mut bot, said) = (Bot::default(), recorded(&lines));
        for line in lines.iter().filter(|line| line["from"] == "referee") {
            let message = &line["message"];
            let Some(answers) = bot.take(message.to_string().as_bytes()) else {
                assert_eq!(message["type"], "bye", "{name}");
                continue;
            };
            assert_ne!(message["type"], "bye", "{name}");
            let mut answers = answers.into_iter();
            for part in parts(message) {
                match part["type"].as_str() {
                    Some("ask") => {
                        games.insert(part["view"]["game"].to_string());
                        let act = answers.next().expect("an act");
                        check(&name, &part, &act, &said, &lines[0]["answers"]);
                    }
                    Some("ping") => {
                        let pong = answers.next().expect("a pong");
                        assert_eq!(pong, json!({"type": "pong", "id": part["id"]}), "{name}");
                    }
                    _ => {}
                }
            }
            assert_eq!(answers.next(), None, "{name}: nobody asked for it");
        }
    }
    for game in [
        "huutopussi",
        "marjapussi",
        "bondtolva",
        "tuppi",
        "minnesota",
    ] {
        assert!(
            games.contains(&format!("{game:?}")),
            "no conversation asks about {game}"
        );
    }
}

/// An answer must be legal, and that of the recording where this took the first action.
fn check(name: &str, ask: &Value, act: &Value, said: &HashMap<u64, Value>, otherwise: &Value) {
    assert_eq!(
        (&act["type"], &act["id"]),
        (&json!("act"), &ask["id"]),
        "{name}"
    );
    assert!(
        ask["legal"].as_array().unwrap().contains(&act["action"]),
        "{name}: {act} to {ask}"
    );
    let id = ask["id"].as_u64().unwrap();
    if ask["view"]["phase"] != "play" && otherwise[id.to_string()].is_null() {
        assert_eq!(act["action"], said[&id], "{name}: ask {id}");
    }
}

/// What is played where the trick has these cards.
fn chosen(start: Value, trump: Value, trick: &[&str], legal: &[&str]) -> String {
    let trick: Vec<Value> = trick.iter().map(|card| json!([1, card])).collect();
    let view = json!({"phase": "play", "trump": trump, "trick": trick});
    decide(&json!({"view": view, "legal": legal}), &start)
        .unwrap()
        .to_owned()
}

#[test]
fn where_no_card_is_played_the_first_action_is_taken() {
    let ask = |phase, legal: Value| json!({"view": {"phase": phase, "trick": []}, "legal": legal});
    let bid = ask("bid", json!(["pass", "bid:50"]));
    assert_eq!(decide(&bid, &Value::Null), Some("pass"));
    let give = ask("give", json!(["give:KS", "give:6H"]));
    assert_eq!(decide(&give, &Value::Null), Some("give:KS"));
    let declare = ask("play", json!(["pass", "declare:S"]));
    assert_eq!(decide(&declare, &Value::Null), Some("pass"));
}

#[test]
fn leads_low_and_wins_as_cheaply_as_it_can() {
    let play = |trump, trick: &[&str], legal: &[&str]| chosen(json!({}), trump, trick, legal);
    assert_eq!(
        play(json!(null), &[], &["KS", "7H", "whole", "declare:S"]),
        "7H"
    );
    assert_eq!(play(json!(null), &["TS"], &["2S", "JS", "AS"]), "JS");
    assert_eq!(play(json!(null), &["AS"], &["QS", "9S"]), "9S");
    assert_eq!(play(json!("H"), &["AS", "2D"], &["4D", "5H", "3H"]), "3H");
    assert_eq!(
        play(json!("H"), &["AS", "5H", "KS"], &["4H", "8H", "9H"]),
        "8H"
    );
}

#[test]
fn ranks_are_those_of_the_game() {
    let plays = |start| chosen(start, json!(null), &["TS"], &["7S", "KS"]);
    assert_eq!(plays(json!({"game": "marjapussi", "rules": {}})), "7S");
    assert_eq!(plays(json!({"game": "bondtolva", "rules": {}})), "7S");
    assert_eq!(
        plays(json!({"game": "huutopussi", "rules": {"rank_order": "ace_ten"}})),
        "7S"
    );
    assert_eq!(
        plays(json!({"game": "huutopussi", "rules": {"rank_order": "plain"}})),
        "KS"
    );
    assert_eq!(plays(json!({"game": "minnesota", "rules": {}})), "KS");
    let low = json!({"game": "tuppi", "rules": {"sooli_ace": "low"}});
    assert_eq!(order(&json!({"contract": "sooli"}), &low), ACE_LOW);
    assert_eq!(order(&json!({"contract": "rami"}), &low), PLAIN);
    assert_eq!(
        order(&json!({"contract": "sooli"}), &json!({"game": "tuppi"})),
        PLAIN
    );
}

#[test]
fn odd_messages_are_passed_over() {
    let odd = [
        "",
        "{",
        "[]",
        "null",
        "3",
        r#"{"type": 3}"#,
        r#"{"type": "ask", "legal": []}"#,
    ];
    for text in odd {
        assert_eq!(Bot::default().take(text.as_bytes()), Some(vec![]), "{text}");
    }
    let batch = json!({"type": "batch", "messages": [[], 3, {"type": "batch"}]});
    assert_eq!(
        Bot::default().take(batch.to_string().as_bytes()),
        Some(vec![])
    );
    let view = json!({"phase": "play", "trick": [[], 3, [1]]});
    let ask = json!({"type": "ask", "id": 7, "view": view, "legal": ["6S"]}).to_string();
    let act = json!({"type": "act", "id": 7, "action": "6S"});
    assert_eq!(Bot::default().take(ask.as_bytes()), Some(vec![act]));
}
