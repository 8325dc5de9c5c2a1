//! Clients that nobody should write, against the real server: broken, half-sent, unread, cut off, stopped and killed.
//!
//! Every test has a server of its own, [`guarded`]: a well-behaved worker goes on beside whatever happens, and at the end
//! nothing has panicked, nothing has leaked, and every job and token is accounted for.
//!
//! `HOSTILE_SEED` replays what is drawn at random; what the kernel does with processes and sockets stays its own.

mod bytes;
mod cuts;
mod floods;
mod guarded;
mod half_closed;
mod half_sent;
mod mutation;
mod peer;
mod proxy;
mod readers;
mod settles;
#[path = "../support/mod.rs"]
mod support;
mod unread;
mod values;
mod workers;

use libtest_mimic::{Arguments, Trial};
use rand::SeedableRng;
use rand::rngs::StdRng;
use tokio::runtime::Builder;

/// Most tests wait for time limits of the server: so more of them at once than a machine may have cores.
const AT_ONCE: usize = 8;

macro_rules! trials {
    ($($module:ident :: $test:ident,)*) => {
        vec![$(Trial::test(concat!(stringify!($module), "::", stringify!($test)), || {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            runtime.block_on($module::$test());
            Ok(())
        }),)*]
    };
}

fn main() {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(AT_ONCE);
    let trials = trials![
        bytes::an_unchanged_conversation_is_answered,
        bytes::mutated_http2_ends_its_connection_at_most,
        bytes::random_bytes_end_their_connection,
        cuts::a_proxy_that_cuts_streams_without_data_for_3_s,
        cuts::a_worker_of_the_client_lives_behind_such_a_proxy,
        cuts::kills_at_bad_moments,
        floods::five_thousand_streams_opened_and_dropped,
        floods::streams_and_calls_reset_with_cancel,
        floods::a_worker_that_is_cancelled_and_comes_back_is_never_told_to_calm_down,
        half_closed::half_closed_streams_are_told_what_is_left,
        half_closed::half_closed_streams_that_nobody_reads_are_reset,
        half_closed::half_closed_streams_that_nobody_reads_dont_hold_a_shutdown,
        half_closed::streams_that_end_in_the_middle_of_a_frame_end_alone,
        half_sent::half_sent_requests_have_their_time_and_large_ones_their_number,
        half_sent::half_sent_requests_take_bounded_memory,
        half_sent::an_upload_that_goes_on_slowly_arrives,
        half_sent::a_stream_is_silent_as_long_as_it_likes_but_not_within_a_frame,
        half_sent::the_buffers_of_idle_streams_are_bounded,
        mutation::mutated_requests_are_answered,
        mutation::mutated_frames_end_their_stream_at_most,
        readers::readers_that_stop_with_a_window_of_100_and_20_000_tiny_jobs_waiting,
        settles::settles_in_shuffled_order_and_repeated,
        unread::answers_that_nobody_reads_are_dropped,
        values::numbers_at_the_end_of_their_type_are_refused_by_name,
        values::jobs_with_one_value_too_many_are_refused_by_name,
        values::what_is_deep_is_taken_or_refused_and_overflows_nothing,
        values::workers_that_ask_for_too_much_are_refused_by_name,
        values::outcomes_that_say_too_much_are_invalid_one_by_one,
        workers::workers_that_are_stopped_lose_their_leases_and_nothing_else,
    ];
    libtest_mimic::run(&arguments, trials).exit();
}

/// What draws for this test; says how to draw the same again.
fn draws() -> StdRng {
    let seed = std::env::var("HOSTILE_SEED").ok().map(|seed| seed.parse().expect("HOSTILE_SEED is a number"));
    let seed: u64 = seed.unwrap_or_else(rand::random);
    println!("seed {seed}: HOSTILE_SEED={seed} draws the same again");
    StdRng::seed_from_u64(seed)
}
