/** Pictures that tools gave stand in a message of their own behind the results, each under a line that names its call. */

export const pictureHeading = (name: string, callId: string): string => `[From ${name}, ${callId}:]`;

/** The call that such a line names; undefined for other text. */
export const callOfHeading = (text: string): string | undefined => HEADING.exec(text)?.[1];
const HEADING = /^\[From .*, (.+):\]$/s;
