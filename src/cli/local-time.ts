/** The day and the time where the reader is. `at`: ISO 8601, or ms since the epoch. */
export const momentOf = (at: string | number) => new Date(at).toLocaleString('sv-SE');

/** The time of day where the reader is. */
export const timeOf = (at: string) => new Date(at).toLocaleTimeString('sv-SE');
