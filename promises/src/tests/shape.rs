//! What a log is: starts, cut lines, and time.

use super::*;

#[test]
fn a_line_may_be_cut_before_a_start_and_at_the_end() {
    let log = Log::new().torn().start(1, &[SLOTS, RATE], &[]).torn();
    let report = log.proved();
    assert_eq!((report.torn, report.lines), (2, 6));
    log.torn().refuted();
    let between = Log::new().torn().enqueue(1, "j", "").report();
    assert!(matches!(between.breaches[0].fault, Fault::Unreadable { .. }));
    assert_eq!(between.breaches[0].line, 4);
}

#[test]
fn a_start_that_was_cut_itself_is_followed_by_another() {
    assert_eq!(Log::new().torn().torn().start(1, &[SLOTS, RATE], &[]).proved().torn, 2);
}

#[test]
fn a_log_begins_with_a_start() {
    assert_eq!(Log::default().report().breaches[0].fault, Fault::NoStart { place: "in it" });
    assert_eq!(Log::default().create(0, SLOTS).refuted(), Fault::NoStart { place: "at the beginning" });
    assert_eq!(Log::new().stop(1).enqueue(2, "j", "").refuted(), Fault::NoStart { place: "after a stop" });
}

#[test]
fn time_never_goes_back_within_a_run() {
    let log = Log::new().enqueue(5, "j", "").enqueue(5, "k", "");
    log.proved();
    assert_eq!(log.enqueue(4, "l", "").refuted(), Fault::TimeWentBack { from: 5 });
}

#[test]
fn a_form_that_is_not_known_is_refused() {
    let text = r#"{"at":0,"event":"start","format":2,"budgets":[],"leases":[]}"#;
    let report = crate::check(text.as_bytes()).unwrap();
    assert!(matches!(report.breaches[0].fault, Fault::Unreadable { .. }));
}

#[test]
fn what_a_line_says_beyond_what_is_judged_is_left_alone() {
    let text = concat!(
        r#"{"at":0,"event":"start","format":1,"budgets":[],"leases":[],"version":"x"}"#,
        "\n\n",
        r#"{"at":1,"event":"stop","why":"told"}"#,
        "\n",
        "\u{feff}"
    );
    let report = crate::check(text.as_bytes()).unwrap();
    assert_eq!((report.is_proved(), report.lines, report.torn), (true, 4, 1));
}

#[test]
fn a_log_of_bytes_that_are_no_text_is_judged_all_the_same() {
    let mut bytes = Log::new().lines.join("\n").into_bytes();
    bytes.extend(b"\n\0\0\xff\n");
    assert_eq!(crate::check(&*bytes).unwrap().torn, 1);
}

#[test]
fn breaches_are_counted_beyond_those_that_are_told() {
    let log = (0..30).fold(Log::new(), |log, _| log.ends(1, 1, ""));
    let report = log.report();
    assert_eq!((report.breaches_total, report.breaches.len()), (30, 20));
}
