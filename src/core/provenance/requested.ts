/** Whether a person's words ask for what a tool does: by the verb in the tool's name, else by its nouns. */
import { wordsOf } from './text-index.ts';

/** Verbs that people use for the same act. A tool whose name holds one needs one of its group in the person's words. */
const ACTS: readonly (readonly string[])[] = [
  'send message write reply tell post share forward mail email dm notify answer inform announce congratulate greet say publish submit upload ask',
  'send pay transfer wire refund reimburse remit donate give buy purchase settle return split owe',
  'schedule plan book reserve arrange set setup create add make organize organise recurring monthly weekly standing',
  'create add make new write generate build open start put draft save store note insert append register sign log enter',
  'update change modify adjust edit correct fix set replace move rename switch increase decrease raise lower renew reschedule postpone shift extend convert',
  'invite add include join enroll enrol onboard welcome invitation',
  'delete remove cancel drop erase clear unsubscribe discard kick revoke withdraw undo stop terminate',
  'post publish upload share put write put submit',
  'run execute start launch call trigger build test deploy restart install',
  'move archive transfer relocate rename sort file organize organise',
  'fetch get read visit open see check look browse download find search summarize summarise show list load',
].map((line) => line.split(' '));

/** Without endings: `scheduled` and `schedules` are `schedul`. */
export const stem = (word: string): string => {
  const bare = word.replace(/(?:ations?|ings?|ed|es|s|e|er|ers)$/, '');
  return bare.length >= 3 ? bare.replace(/([bdfgklmnprt])\1$/, '$1') : word;
};

const ACT_STEMS = ACTS.map((group) => new Set(group.map(stem)));
const EMPTY = new Set(
  'mcp the a an of for in on at by with and or my your user users item items data info information tool api v1 v2'.split(
    ' ',
  ),
);

/** The words of a tool's name, without the server's. */
const nameWords = (tool: string): string[] => {
  const own = /^mcp__.+?__(.+)$/.exec(tool)?.[1] ?? tool;
  return wordsOf(own.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ')).filter((word) => !EMPTY.has(word));
};

/** `asked`: the stems of everything that the person wrote. */
export const isRequested = (tool: string, asked: ReadonlySet<string>): boolean => {
  const words = nameWords(tool).map(stem);
  const groups = ACT_STEMS.filter((group) => words.slice(0, 2).some((word) => group.has(word)));
  if (groups.length > 0) return groups.some((group) => [...group].some((word) => asked.has(word)));
  return words.length === 0 || words.some((word) => asked.has(word));
};
