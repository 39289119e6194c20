import { TOOL_LIMITS } from '../limits.ts';

/** What is wrong with an address that no request is made of; undefined where it is not too long. */
export const longAddressText = (url: string): string | undefined =>
  url.length > TOOL_LIMITS.webUrlCharacters
    ? `The address is longer than ${TOOL_LIMITS.webUrlCharacters} characters.`
    : undefined;
