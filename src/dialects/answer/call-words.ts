/** What is said of calls that are not made, to the model and to the person. */

/** Why a call goes back to the model that is written in another notation, or beside something else. */
export const NOT_ALONE =
  'something stands beside the call, or it is in another notation: send the call as it was described, and nothing else with it';

export const calledBy = (name: string | undefined): string =>
  name === undefined || name === '' ? 'a call that names no tool' : `a call to ${name}`;
