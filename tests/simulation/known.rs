//! Runs that once failed, each with the fewest steps that showed it.

use super::counts::Counts;

/// One of them.
pub struct Known {
    /// What it showed.
    pub what: &'static str,
    seed: u64,
    steps: &'static [u64],
}

pub const RUNS: &[Known] = &[
    // A relaxed commit that reserved ids was lost with the power, and the next start gave them out again.
    Known {
        what: "no_lease_id_is_given_out_twice_after_a_power_loss",
        seed: 3321709911,
        steps: &[
            6166326502024429947,
            13497797468140991028,
            13495346894954587754,
            7216826032128710622,
            8763661215187077916,
            9257129488634864363,
            8425783734821086355,
            14832240507892172982,
        ],
    },
    // A block ended by the clock, and a more urgent job came to own a set-aside; nobody was woken for what was free then.
    // The story `119-a-more-urgent-owner` tells it in few words.
    Known {
        what: "a_block_that_ends_frees_what_is_set_aside_no_more",
        seed: 1963290378,
        steps: &[
            14411983960381295533,
            778086610194681525,
            18130181852951151216,
            17156102207532650674,
            7121245972252873287,
            7417898883875806773,
            15351139789253983345,
            1695811259165782834,
            12651359175477940881,
            269839658413674444,
            15890944777154382767,
            7063276493574122470,
            4036612059220187070,
            16324359610419676207,
            12610254493701227762,
            14261678617468356440,
            14217853911021410436,
            12920596904620682195,
            17695793682558120887,
            11015603211582645788,
            5716979409983484574,
            13250267922698568884,
            13309965573296350864,
            5288480765014783551,
            14070447610780665751,
            12037749397161854320,
            3662929588481293538,
            8421127479924225582,
            12093472235437742521,
            2304856925427926941,
            7987974264673612696,
            2204851451387940321,
            16121413731411238394,
            6025606499524024640,
            2765630091150942052,
            2528862900165659214,
            9654406167694841734,
            10197344220557189681,
            2171348737956179898,
            1592976255668174922,
            820866321248722118,
            15026949021529546576,
            5713415857624292076,
            16186111198837337004,
            8580039558954182814,
            14983202266679275399,
            8013312503619960656,
        ],
    },
];

impl Known {
    /// Plays it again.
    pub fn run(&self) -> Result<Counts, String> {
        super::play(self.seed, self.steps, true).map(|(counts, _)| counts).map_err(|broken| broken.told)
    }
}
