/** What changed in a tool, line by line. */
import { createTwoFilesPatch } from 'diff';

export const unifiedText = (before: string, after: string): string =>
  createTwoFilesPatch('what you said yes to', 'what it is now', before, after);
