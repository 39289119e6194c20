/** The addresses of model servers. */

/** Several, with commas between, are a pool: one endpoint of several servers. */
export const addressesOf = (text: string): string[] =>
  text
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '');
