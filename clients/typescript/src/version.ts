/** The version of this package, as workers tell it to servers; a test holds it to package.json. */
export const VERSION = "0.1.0";
