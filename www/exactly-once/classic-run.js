// @ts-check
/** The run of the stepper's own example: two channels, 75 in the snapshot, 999 that is lost again. */
export const CLASSIC_RUN = "a~c~A%3A50%20%7C%20A%3A100;A%3A25%20B%3A80%20%7C%20A%3A999~0.1.1.0.1.0.n.1.f.r";
