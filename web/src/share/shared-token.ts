/** The token of a link for reading. It stands behind the `#`, so no server and no log of one is told it with the page. */
const PLACE = /^#\/shared\/([\w-]{20,100})$/;

export const sharedToken = (hash: string): string | undefined => PLACE.exec(hash)?.[1];
