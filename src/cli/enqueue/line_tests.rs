//! Lines as people and programs write them, and what is said of the bad ones.

use super::*;

const MINUTE: Duration = Duration::from_secs(60);

fn job(line: &str) -> Result<Job, String> {
    parse(line, &Defaults::default())
}

#[test]
fn a_line_needs_a_queue_and_nothing_else() {
    assert_eq!(job(r#"{"queue":"q"}"#), Ok(Job::new("q", "")));
    let defaults = Defaults { queue: Some("d".into()), job_type: "t".into() };
    assert_eq!(parse("{}", &defaults), Ok(Job::new("d", "t")));
    assert_eq!(parse(r#"{"queue":"q","type":""}"#, &defaults), Ok(Job::new("q", "")));
    assert!(job("{}").expect_err("no queue").contains("--queue"));
}

#[test]
fn payloads_are_kept_as_they_are_written() {
    let line = r#"{"queue":"q","payload": {"a": 1.10, "b":12345678901234567890123, "a":  null} }"#;
    let expected = Job::new("q", "").json_text(r#"{"a": 1.10, "b":12345678901234567890123, "a":  null}"#);
    assert_eq!(job(line), Ok(expected));
    assert_eq!(job(r#"{"queue":"q","payload":null}"#), Ok(Job::new("q", "").json_text("null")));
    assert_eq!(job(r#"{"queue":"q","payload":"text"}"#), Ok(Job::new("q", "").json_text("\"text\"")));
    assert_eq!(job(r#"{"queue":"q","binary":"/wA="}"#), Ok(Job::new("q", "").bytes(vec![0xff, 0])));
}

#[test]
fn everything_a_job_has_can_be_said() {
    let line = r#"{
        "queue": "q", "type": "t", "priority": 5, "runTime": "1970-01-01T00:01:00Z", "maxAttempts": 3,
        "bindings": ["a", "b=2", {"budget": "c", "cost": "3", "createWith": "100/1m,burst=8"},
            {"budget": "d", "createWith": {"allocation": 5, "whileInFlight": {}, "never": {}}},
            {"budget": "e", "create_with": {"allocation": "7", "timeBased": {"duration": "60s", "burst": "9"}, "after": "0s"}}],
        "backoff": {"initial": "1s", "multiplierPercent": 150}, "retention": {"completed": "1h"}, "timeout": "1m",
        "unique": {"key": "u", "scope": "UNIQUE_SCOPE_RETAINED"}, "metadata": {"k": "v"}
    }"#;
    let rate = |tokens, burst| Policy::time_based(tokens, TimeBased::per(MINUTE).burst(burst));
    let expected = Job::new("q", "t")
        .priority(5)
        .run_at(SystemTime::UNIX_EPOCH + MINUTE)
        .max_attempts(3)
        .bind("a", 1)
        .bind("b", 2)
        .bind_with("c", 3, rate(100, 8))
        .bind_with("d", 1, Policy::while_in_flight(5).reserve_after(ReserveAfter::Never))
        .bind_with("e", 1, rate(7, 9).reserve_after(ReserveAfter::After(Duration::ZERO)))
        .backoff(Backoff { initial: Some(Duration::from_secs(1)), multiplier_percent: Some(150), ..Backoff::default() })
        .retention(Retention { completed: Some(60 * MINUTE), ..Retention::default() })
        .timeout(MINUTE)
        .unique_in("u", UniqueScope::Retained)
        .metadata("k", "v");
    assert_eq!(job(line), Ok(expected));
    assert_eq!(job(r#"{"queue":"q","unique":"u"}"#), Ok(Job::new("q", "").unique("u")));
}

#[test]
fn a_bad_line_says_what_is_wrong_with_it() {
    let cases = [
        ("", "EOF"),
        ("[]", "invalid"),
        ("{", "column 1"),
        (r#"{"queue":"q"} x"#, "trailing"),
        (r#"{"queue":"q","prioritty":1}"#, "prioritty"),
        (r#"{"queue":"q","priority":65536}"#, "65536"),
        (r#"{"queue":"q","priority":-1}"#, "-1"),
        (r#"{"queue":"q","payload":1,"binary":""}"#, "one of them"),
        (r#"{"queue":"q","binary":"?"}"#, "base64"),
        (r#"{"queue":"q","runIn":"1s","runTime":"1970-01-01T00:00:00Z"}"#, "one of them"),
        (r#"{"queue":"q","runTime":"tomorrow"}"#, "tomorrow"),
        (r#"{"queue":"q","runIn":"5"}"#, "`5`"),
        (r#"{"queue":"q","runIn":"18446744073709551615s"}"#, "future"),
        (r#"{"queue":"q","bindings":["=1"]}"#, "=1"),
        (r#"{"queue":"q","bindings":[{"cost":1}]}"#, "budget"),
        (r#"{"queue":"q","bindings":[{"budget":"b","cost":1.5}]}"#, "1.5"),
        (r#"{"queue":"q","bindings":[{"budget":"b","createWith":"x"}]}"#, "`x`"),
        (r#"{"queue":"q","bindings":[{"budget":"b","createWith":{"allocation":1}}]}"#, "whileInFlight"),
        (r#"{"queue":"q","bindings":[{"budget":"b","createWith":{"whileInFlight":{}}}]}"#, "allocation"),
        (r#"{"queue":"q","unique":{"key":"u","scope":"ever"}}"#, "ever"),
        (r#"{"queue":"q","metadata":{"k":1}}"#, "string"),
    ];
    for (line, words) in cases {
        let error = job(line).expect_err(line);
        assert!(error.contains(words), "{line}: {error}");
        assert!(!error.contains("line 1"), "{line}: {error}");
    }
}
