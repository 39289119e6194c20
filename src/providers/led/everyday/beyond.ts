/** What a small model does not do, by what the request tells it to do or wants explained. */
import { asWritten } from '../as-written.ts';
import { isQuestionWord } from '../folder/asked.ts';
import { needsNoLookUp } from '../free-talk.ts';
import { findPaths, findQuoted, withoutValues } from '../request-facts/values.ts';
import type { Plan } from './plan.ts';

const CHANGING: readonly (readonly [verbs: string, what: string])[] = [
  [
    'delete|remove|erase|wipe|clean|clear|trash|purge|drop|rm|unlink|empty|prune|get rid of|throw away',
    'delete or remove anything',
  ],
  ['rename|move|mv|relocate', 'rename or move anything'],
  ['copy|duplicate|cp|back up|backup|zip|archive|compress|extract|unzip', 'copy or pack files'],
  [
    'edit|change|modify|update|replace|overwrite|append|insert|prepend|fix|correct|repair|patch|bump|increase|decrease|set|add|put|sort|format|reformat|lint|indent|swap|substitute|convert|turn|translate|rewrite|uncomment|comment|shorten|extend|adjust|enable|disable|reorder|merge|split|join|truncate|write over|make sure|switch|undo|restore',
    'change what is there',
  ],
  [
    'refactor|restructure|clean up|simplify|optimi[sz]e|improve|extract|inline|migrate|port|modernize|debug|implement|solve|document|reorgani[sz]e|tidy',
    'work on code',
  ],
  ['install|uninstall|upgrade|downgrade|download|npm install|pip install|pull in', 'install anything'],
  [
    'commit|push|pull|fetch|checkout|check out|rebase|stash|cherry-pick|revert|reset|tag|clone|git (?:add|commit|push|pull|checkout|rebase|stash|reset|merge|tag|clone|init|switch|clean|revert)',
    'change anything with git',
  ],
  ['deploy|publish|release|ship|upload|send|email|kill|stop|restart|reboot|shut down|chmod|chown|schedule', 'do that'],
  [
    'run|execute|start|launch|build|compile|serve|rebuild|bundle|type-?check|profile|benchmark',
    'run commands it does not know',
  ],
  [
    'explain|summari[sz]e|describe|review|analy[sz]e|compare|evaluate|assess|judge|recommend|suggest|advise|outline|audit|paraphrase|diagnose|investigate|check',
    'explain or judge',
  ],
  [
    'generate|design|draw|plan|make up|scaffold|set up|configure|init|initiali[sz]e|bootstrap|create|make|write|save|store|draft|touch|mkdir|code|develop|program',
    'write that by itself',
  ],
];
const LEAD = `(?:please|kindly|now|just|also|then|first|finally|next|can you|could you|would you|will you|can we|let's|let us|go ahead and|i want you to|i'd like you to|i need you to|i want to|i'd like to|i need to|help me(?: to)?|try to|you should|you must|we should|hey|ok|okay|so|quickly|simply|completely|permanently|safely|git)`;
const CLAUSE = String.raw`(?:^|[,;:.!?]\s*|\b(?:and|then|or|but|to)\s+)(?:${LEAD}[\s,]+)*`;
const TOLD: readonly (readonly [RegExp, string])[] = CHANGING.map(([verbs, what]) => [
  new RegExp(String.raw`${CLAUSE}(?:${verbs})\b(?!\s*[:=])`, 'i'),
  what,
]);
const EXPLAIN =
  /\bwhy\b|\bhow (?:do|does|can|could|would|should|to)\b|\bwhat (?:do|does|did) (?!.*\b(?:contain|say|hold|include)\b).*\b(?:do|does|mean|return)\b|\bwhat(?:'s| is| are) (?:the )?(?:purpose|meaning|difference|point|best|problem|bug|issue|wrong)|\bwhat(?:'s| is) wrong\b|\b(?:should|shall) (?:i|we)\b|\bis (?:there|this|it|the code)\b.*\b(?:bugs?|errors?|good|safe|secure|correct|right|problems?|vulnerab\w+)\b|\bany (?:bugs?|problems?|vulnerab\w+|issues?)\b/i;
const WORK =
  /\b(?:files?|folders?|director(?:y|ies)|projects?|repo(?:sitory)?|code(?:base)?|functions?|class(?:es)?|methods?|modules?|variables?|imports?|tests?|builds?|bugs?|errors?|scripts?|commands?|packages?|dependenc(?:y|ies)|versions?|commits?|branch(?:es)?|git|lines?|servers?|ports?|database|api|docker|npm|pip|node|python|typescript|javascript|java|rust|config(?:uration)?|readme|todos?|logs?|disk|processes|installed|password|environment|tasks?|jobs?|weather|internet|changes?|changed|inside|arguments?|parameters?|operating system|user ?name|host ?name|ip address|computer|machine|web|search|tree|cpu|website|online|news|email|price)\b/i;

/** The list of tasks has tools of its own. */
const TASKS = /\b(?:add|new|create|list|show|mark|update|complete|finish|start)\b.*\b(?:tasks?|to-?do list|to-?dos)\b/i;

/** A new file whose whole text the request gives, in words that can only be that. */
export const newFilePlan = (request: string): Plan | undefined => {
  const told =
    /^(?:please |can you |could you )*(?:create|make|write|save|add)\s+(?:me )?(?:a |an |the )?(?:new )?(empty )?(?:\w+ )?(?:file )?(?:called |named |at )?[`"']?([\w@./-]+\.[A-Za-z]\w{0,5})[`"']?(?:\s*[.!]?$|[,:]?\s+(?:with|containing|that (?:says|contains|reads)|which (?:says|contains)|saying)\s+(?:(?:the |this )?(?:exact )?(?:contents?|text|line|words?|sentence)\s*:?\s*)?(.+)$)/is.exec(
      request.trim(),
    );
  const path = told?.[2];
  if (path === undefined) return undefined;
  const text = told?.[3] ?? '';
  if (text === '' && told?.[1] === undefined) return undefined;
  const inside = findQuoted(text)[0]?.text;
  if (inside === undefined && /^(?:a|an|some|the|all|my|tests?|code|\d+|list|function)\b/i.test(text)) return undefined;
  const content = inside ?? text.replace(/\.$/, '');
  return {
    kind: 'call',
    call: { name: 'write_file', arguments: { path, content: content === '' ? '' : `${content}\n` } },
    opening: `${asWritten(path)}:`,
  };
};

/** "When did we decide to ship?" tells nobody to ship: in a question only what follows the question is told. */
const asTold = (plain: string): string =>
  isQuestionWord(/\p{L}+/u.exec(plain)?.[0] ?? '') ? plain.replaceAll(/\b(?:to|or)\b/gi, '·') : plain;

/** What a request tells to do that is beyond it, whatever it is about. */
export const toldWhat = (request: string): string | undefined => {
  const plain = asTold(withoutValues(request));
  return TOLD.find(([pattern]) => pattern.test(plain))?.[1];
};

/** "Delete a.txt": beyond it, whatever tools there are. Files and quoted text are no verbs. */
export const changingPlan = (request: string): Plan | undefined => {
  if (TASKS.test(asTold(withoutValues(request)))) return undefined;
  const what = toldWhat(request);
  if (what === 'write that by itself') return needsNoLookUp(request) ? undefined : { kind: 'decline', what };
  if (what === 'explain or judge' && !mentionsWork(request)) return undefined;
  return what === undefined ? undefined : { kind: 'decline', what };
};

/** "What does this say?" of a text. */
const OF_A_TEXT = /^what(?:'s| is| does| do) (?:this|it|that|these)(?: (?:text|all))?(?: say| mean| about)?[?.! ]*$/i;
export const asksToExplain = (request: string): boolean =>
  EXPLAIN.test(withoutValues(request)) || OF_A_TEXT.test(request.trim());

export const explainPlan = (request: string): Plan | undefined =>
  EXPLAIN.test(withoutValues(request)) && mentionsWork(request)
    ? { kind: 'decline', what: 'explain or judge' }
    : undefined;

/** The request is about the folder or the machine, so that words of the model's own would be an invention. */
export const mentionsWork = (request: string): boolean =>
  WORK.test(request) || findPaths(request).length > 0 || /[a-z]_[a-z]|`/.test(request);
