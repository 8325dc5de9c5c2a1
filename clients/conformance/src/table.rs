//! The table of cases and languages, for people.

use comfy_table::Table;
use comfy_table::presets::ASCII_MARKDOWN;

use crate::Absent;
use crate::languages::Language;
use crate::script::Script;
use crate::suite::Results;

/// Prints what failed, and the table.
pub(crate) fn print(script: &Script, languages: &[Language], absent: &[Absent], results: &Results) {
    for ((language, title), result) in results {
        if let Err(failure) = result {
            println!("{language}, {title}: {failure}\n");
        }
    }
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN);
    let names = languages.iter().map(|language| language.name.as_str());
    let names = names.chain(absent.iter().map(|absent| absent.name.as_str()));
    table.set_header(std::iter::once("case").chain(names));
    for case in &script.cases {
        let cell = |language: &Language| match results.get(&(language.name.clone(), case.title())) {
            Some(Ok(())) => "ok".to_owned(),
            Some(Err(_)) => "FAILED".to_owned(),
            None => "-".to_owned(),
        };
        let cells = languages.iter().map(cell).chain(absent.iter().map(|absent| absent.why.to_owned()));
        table.add_row(std::iter::once(case.title()).chain(cells));
    }
    println!("{table}");
    let passed = results.values().filter(|result| result.is_ok()).count();
    println!("{passed} of {} passed", results.len());
}
