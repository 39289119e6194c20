/** What changed in a tool, line by line. */
// The part of the package that is used: its root loads five times as much.
import { createTwoFilesPatch } from 'diff/lib/patch/create.js';

export const unifiedText = (before: string, after: string): string =>
  createTwoFilesPatch('what you said yes to', 'what it is now', before, after);
