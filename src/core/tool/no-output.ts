/** What stands in place of the output of a command that printed nothing. */

export const noOutput = (ending: string): string => `(no output, ${ending})`;

/** What a command printed: nothing where only that was said of it. */
export const outputOf = (data: string): string => (/^\(no output, [\w ]+\)\s*$/.test(data) ? '' : data);
