/** Small talk, and questions about the model itself: a small model would invent the answers, so these are fixed. */
import { beyondModel } from '../larger-model.ts';
import type { Plan } from './plan.ts';

const THANKS =
  /^(?:(?:ok(?:ay)?|great|perfect|cool|nice|wow|no|yes),? |many )*(?:thanks|thank you|thx|cheers)(?:,? (?:a lot|so much|very much|again|halter|you|for (?:that|this|your help|the help|everything|helping(?: me)?)))*[.! ]*$/i;
const POLITE = '(?:(?:please|hey|hi|hello|so|ok(?:ay)?|and|but|well|tell me|halter),? )*';
const whole = (...forms: readonly string[]): RegExp => new RegExp(`^${POLITE}(?:${forms.join('|')})[?.! ]*$`, 'i');

const ABILITIES = whole(
  "what (?:all )?(?:can|could|do|can't|cannot) you (?:do|not do|help (?:me )?with|offer)(?: (?:for me|here|exactly|well))*",
  'what are you (?:able to do|capable of|good (?:at|for))',
  'what (?:are|is) your (?:capabilit(?:y|ies)|limits?|limitations?|features?|skills?)',
  'what can i (?:ask|do)(?: you)?(?: (?:here|for|with (?:you|this|halter)))*',
  'help(?: me)?',
  'how (?:can|could|do) (?:you help(?: me)?|i use (?:you|this|halter))(?: here)?',
  '(?:can|could|will|would) you (?:please )?(?:help|assist)(?: me| us)?(?: out)?(?: (?:with|in|on|at) (?:(?:this|my|the|our|a|some) )?(?:project|code|codebase|folder|repo(?:sitory)?|work|coding|programming|something|tasks?|it|this|that|questions?))?',
  'i need (?:some |your )?help(?: (?:with|in|on) (?:this|my|the|our) (?:project|code|folder|repo(?:sitory)?))?',
);
const SELF = whole(
  "who(?:'s| are| is|'re) (?:you|this|there|halter|the starter)",
  "what(?:'s| are| is|'re) (?:you|halter|the starter|your name)(?: exactly| really)?",
  '(?:what|which) (?:language )?(?:model|ai|llm|assistant) (?:are|is) (?:you|this|it)(?: using)?',
  '(?:what|which) (?:language )?(?:model|ai|llm) (?:do you|am i|are (?:we|you)) (?:use|using|running)',
  'are you (?:an? |the )?(?:ai|bot|robot|human|person|real|machine|model|llm|language model|chatgpt|gpt\\S*|claude|gemini|llama)(?: \\w+)?',
  '(?:tell me )?(?:something )?about you(?:rself)?',
  'introduce yourself',
);
const MAKER = whole(
  'who (?:made|wrote|created|built|trained|developed|programmed|owns|invented) (?:you|halter|the starter)',
  '(?:who|what company) are you (?:made|created|built|trained|developed) by',
  'where (?:do|did) you come from',
  '(?:when were you (?:made|trained|created)|how old are you)',
);

/** It begins each message anew. */
const BY_ITSELF = whole(
  '(?:continue|go on|keep going|carry on|proceed|go ahead)(?: please| with (?:it|that))?',
  '(?:remember|memori[sz]e|keep in mind)\\b[^?]*',
  '(?:what|which question) (?:did|have|had) (?:i|we|you) (?:just )?(?:ask(?:ed)?|say|said|do|done|written|write|talk(?:ed)? about)(?: you)?(?: before| earlier| last| just now| first| so far)*',
);
/** No letter and no digit, but something: "…", "🎉". */
const WORDLESS = /^(?=[\s\S]*\S)[^\p{L}\p{N}]+$/u;

const abilities = (called: string): string =>
  `${called} looks things up in this folder: files, counts, versions, text in files, git status, log and diff. It works out sums, runs the tests of the project, and makes a new file of text that you give. ${beyondModel(called, 'explain things, write code, or change and delete what is there')}`;
const self = (called: string): string =>
  `${called} is the language model that answers here. halter is the program around it: it lets a model look into this folder and do what you allow. ${abilities(called)}`;
const maker = (called: string): string =>
  `${called} does not know that, and would make something up. \`halter models list\` names the models that are here; halter is the program around them.`;

const SAID: readonly (readonly [RegExp, (called: string) => string])[] = [
  [THANKS, () => 'You are welcome.'],
  [ABILITIES, abilities],
  [SELF, self],
  [MAKER, maker],
  [BY_ITSELF, (called) => beyondModel(called, 'look back at what was said, and takes each message by itself')],
  [WORDLESS, (called) => `${called} goes by words, and there are none in that. ${abilities(called)}`],
];

const saidOf = (part: string): ((called: string) => string) | undefined =>
  SAID.find(([pattern]) => pattern.test(part.trim()))?.[1];

export const isThanks = (request: string): boolean => THANKS.test(request);

/** "Who are you and what can you do?" asks two things of it, and the first answer says both. */
export const aboutPlan = (request: string): Plan | undefined => {
  const parts = request.split(/[?.!,]\s+|\s+and\s+/);
  const texts = parts.map(saidOf);
  const text = saidOf(request) ?? (texts.every((each) => each !== undefined) ? texts[0] : undefined);
  return text === undefined ? undefined : { kind: 'about', text };
};
