//! `examples/polite-fetch` shows what its README says: with the real program, a real nginx and real fetches, in each of its
//! modes, one after the other.
//!
//! Without nginx or curl these tests are ignored, by name; where CI=true they fail.

#[path = "../../examples/polite-fetch/fetch/mod.rs"]
mod fetch;

use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};

use fetch::{Figures, Mode, Page, Plan};

/// The least share of the rate that is to be used.
const SHARE_MIN: f64 = 0.95;
/// So many runs may show it: on a busy machine the fetches themselves are too slow. But none of them may be refused anything.
const RUNS_MAX: usize = 3;
/// Twenty seconds at the site's rate.
const FILES: usize = 1000;
/// The first of these with enough files is served: small systems come without most of their documents.
const FOLDERS: [&str; 3] = ["/usr/share/doc", "/usr/share", "/usr"];

fn main() {
    let mut arguments = Arguments::from_args();
    // One after the other: two runs at once would disturb each other's use of the rate.
    arguments.test_threads = Some(1);
    let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    let is_ignored = !is_ci && fetch::missing_tool().is_some();
    let real = |name, test: fn() -> Result<(), Failed>| Trial::test(name, test).with_ignored_flag(is_ignored);
    let trials = vec![
        Trial::test("figures_are_read_off_the_access_log", figures_are_read_off_the_access_log),
        real("with_budgets_nothing_is_refused_and_the_rate_is_used", with_budgets),
        real("without_budgets_the_site_refuses", without_budgets),
        real("a_killed_server_has_nothing_refused_and_forgets_no_file", kill_9),
    ];
    libtest_mimic::run(&arguments, trials).exit();
}

fn with_budgets() -> Result<(), Failed> {
    let once_each = |figures: &Figures| is_polite(figures) && figures.requests == FILES;
    for _ in 0..RUNS_MAX {
        let figures = run(Mode::WithBudgets, once_each)?;
        if figures.share_used() >= SHARE_MIN {
            return Ok(());
        }
    }
    Err(Failed::from(format!("none of {RUNS_MAX} runs has used {SHARE_MIN} of the rate")))
}

fn without_budgets() -> Result<(), Failed> {
    run(Mode::WithoutBudgets, |figures| figures.refused() > 0 && figures.fetched + figures.refused() == FILES).map(drop)
}

fn kill_9() -> Result<(), Failed> {
    run(Mode::Kill9, is_polite).map(drop)
}

fn is_polite(figures: &Figures) -> bool {
    figures.refused() == 0 && figures.fetched == FILES
}

/// Does a run, shows its figures, and judges them.
fn run(mode: Mode, is_good: fn(&Figures) -> bool) -> Result<Figures, Failed> {
    let sluicegate = PathBuf::from(env!("CARGO_BIN_EXE_sluicegate"));
    let plan = Plan { mode, folder: folder()?, files: FILES, sluicegate };
    let dir = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let problem = match runtime.block_on(fetch::run(&plan, dir.path())) {
        Ok(figures) => {
            println!("{figures}\n");
            if is_good(&figures) {
                return Ok(figures);
            }
            figures.to_string()
        }
        Err(error) => format!("{error:#}"),
    };
    Err(Failed::from(format!("{problem}\nthe logs are in {}", dir.keep().display())))
}

fn folder() -> Result<PathBuf, Failed> {
    let enough = FOLDERS.iter().map(Path::new).find(|folder| fetch::pages(folder, FILES).is_ok());
    Ok(enough.ok_or("no folder has enough files")?.to_owned())
}

fn figures_are_read_off_the_access_log() -> Result<(), Failed> {
    let pages = ["/a", "/b%20c"].map(|uri| Page { uri: uri.to_owned(), bytes: 10 });
    let read = |log: &str| Figures::read(Mode::WithBudgets, &pages, log);

    // Twelve served, and by a burst of 6 six of them were at the rate: 0.12 s of it, in 0.24 s. Half the rate was used.
    let served = "1.000 200 10 /a\n".repeat(11) + "1.240 200 9 /b%20c\n";
    let figures = read(&served)?;
    assert_eq!((figures.requests, figures.served, figures.fetched, figures.refused()), (12, 12, 1, 0));
    assert!((figures.share_used() - 0.5).abs() < 1e-9, "{}", figures.share_used());
    assert_eq!(figures.missed().len(), 2, "a file is missing, and the rate wasn't used: {:?}", figures.missed());

    let figures = read("1.000 200 10 /a\n1.000 429 0 /a\n1.001 503 0 /a\n1.020 200 10 /b%20c\n")?;
    assert_eq!((figures.refused_rate, figures.refused_connections, figures.fetched), (1, 1, 2));
    assert!(figures.missed()[0].contains("2 requests were refused"), "{:?}", figures.missed());

    for strange in ["1.000 404 0 /a", "1.000 200 10", "1.000 200 10 /b c", "now 200 10 /a"] {
        assert!(read(strange).is_err(), "{strange}");
    }
    Ok(())
}
