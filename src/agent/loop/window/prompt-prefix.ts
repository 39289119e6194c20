/** What every prompt of a session begins with: instructions and tools, in a size that suits the window, once and for all. */
import type { Event, PromptPrefix } from '../../../core/events.ts';
import type { ModelProvider } from '../../../core/model-port.ts';
import { grouped } from '../../../core/number-text.ts';
import { ONLY_READING, passesInPlan, runsCommands } from '../../../core/policy/modes.ts';
import { type Instructions, withInstructions } from '../../../core/project-instructions.ts';
import { composeSystemPrompt, type PromptSize, SMALL_PROMPT_BELOW_TOKENS } from '../../../core/system-prompt.ts';
import { type OfferedTools, shortlistText, USE_TOOL } from '../../../core/tool/tool-shortlist.ts';
import type { ToolSchema } from '../../../core/tool.ts';
import { headOf, prefixBreak, promptPrefix } from '../../../core/window/prefix.ts';
import { offeredTools, promptTier } from '../../../core/window/tier.ts';
import { toolsTokens } from '../../../core/window.ts';
import { AGENT_LIMITS } from '../../limits.ts';
import type { ToolRegistry } from '../run-tool/tool-registry.ts';

export type SessionHead = {
  tier: PromptSize;
  system: string;
  /** For requests without tools: it speaks of none. */
  systemWithoutTools: string;
  /** The tools, as this session's prompts describe them. */
  registry: ToolRegistry;
  /** Those of them that a session which begins in plan mode offers. */
  reading: () => readonly ToolSchema[];
  /** What a message of the person ends in, so that the tools it needs are described. */
  ending: (text: string) => string | undefined;
  /** Where this prompt prefix differs from the one that the session began with. */
  broken: string | undefined;
  /** It is shorter than the one that the session began with, as the window is much smaller. */
  isShortened: boolean;
};

export type PromptPrefixOptions = {
  /** Instead of halter's own instructions. */
  system?: string;
  append?: string;
  /** A step makes no more than one. */
  isOneCall?: boolean;
  /** Whatever the window is. */
  size?: PromptSize;
  /** The program named its tools: none of them is put behind `use_tool`; `where_they_fit`: in a window with room for them. */
  toolsAsNamed?: ToolsAsNamed;
};
export type ToolsAsNamed = boolean | 'where_they_fit';

/** What a session began with is what it goes on with, unless the person asks for something else. */
export const sessionPromptPrefix = (
  options: PromptPrefixOptions,
  facts: {
    registry: ToolRegistry;
    contextTokens: number | undefined;
    events: readonly Event[];
    provider?: ModelProvider;
    /** What AGENTS.md says; of no use to an engine that has no prompt for it. */
    instructions?: readonly Instructions[];
    /** The size that suits the model, where that was found out. */
    tier?: PromptSize;
    /** The session is opened in plan mode. */
    plans?: boolean;
  },
): SessionHead => {
  const first = headOf(facts.events);
  const fills = fillsWindow(facts.registry.schemas, facts.contextTokens);
  const isShortened = first !== undefined && isTooLarge(first, options, facts.contextTokens, fills);
  // Another window has read nothing of this session yet, so nothing is lost by another beginning.
  const before = isShortened ? undefined : first;
  const tier = isShortened ? 'small' : (before?.tier ?? options.size ?? facts.tier ?? promptTier(facts.contextTokens));
  const { registry } = facts;
  // An engine that decodes calls by itself has the tools in no prompt, and a list that the person named stays whole.
  const decodes = facts.provider?.decodeToolCall !== undefined;
  const onlyReads = schemasInPlan(registry);
  const told = facts.plans ? onlyReads : registry.schemas;
  const own: OwnInstructions = { ...options, tools: told.map((schema) => schema.function.name) };
  const ofFolder = decodes ? [] : (facts.instructions ?? []);
  const system = instructions(own, tier, before, ofFolder);
  const { toolsAsNamed } = options;
  const isWhole = before ? !isSplit(before) : !fills;
  const asNamed = toolsAsNamed === 'where_they_fit' ? isWhole : toolsAsNamed === true;
  const asTheyAre = decodes || asNamed;
  const offer = (schemas: readonly ToolSchema[]): OfferedTools =>
    asTheyAre ? { head: schemas, behind: [] } : offeredTools(tier, registry.tools, schemas);
  const offered = before ? asBefore(before, system, registry, offer) : offer(registry.schemas);
  const schemas = offered.head;
  let reading: OfferedTools | undefined;
  const toRead = (): OfferedTools => {
    reading ??= offer(onlyReads);
    return reading;
  };
  const difference = before && prefixBreak(before, promptPrefix(system, schemas));
  return {
    tier,
    system,
    systemWithoutTools: instructions({ ...own, tools: [] }, tier, undefined, ofFolder),
    registry: { ...registry, schemas },
    reading: () => toRead().head,
    ending: rememberedEndings(facts.plans ? toRead() : offered),
    isShortened,
    broken:
      difference &&
      `This session goes on with another prompt than it began with: it differs from ${difference.place} on, so the server has to read all of it again.`,
  };
};

/** Those of which a call can pass there. A model that is offered a command should know which ones run. */
const schemasInPlan = (registry: ToolRegistry): readonly ToolSchema[] =>
  registry.schemas.flatMap((schema) => {
    const tool = registry.get(schema.function.name);
    if (tool === undefined || !passesInPlan(tool)) return [];
    if (!runsCommands(tool)) return [schema];
    const description = `${schema.function.description} Plan mode is on: it runs ${ONLY_READING}.`;
    return [{ ...schema, function: { ...schema.function, description } }];
  });

/** Instructions and tools of a large window would leave little of one that is much smaller. */
const isTooLarge = (
  first: PromptPrefix,
  { size, toolsAsNamed }: PromptPrefixOptions,
  contextTokens: number | undefined,
  fills: boolean,
): boolean => {
  if (toolsAsNamed === 'where_they_fit' && fills && !isSplit(first)) return true;
  const isSmall = contextTokens !== undefined && contextTokens < SMALL_PROMPT_BELOW_TOKENS / 2;
  return first.tier === 'standard' && size === undefined && isSmall;
};

/** Described in full, the tools would leave too little for a conversation. */
const fillsWindow = (schemas: readonly ToolSchema[], contextTokens: number | undefined): boolean =>
  contextTokens !== undefined && toolsTokens(schemas) > contextTokens * AGENT_LIMITS.toolsShareMost;

/** Some of its tools are called through another. */
const isSplit = ({ tools }: PromptPrefix): boolean => tools.some(({ name }) => name === USE_TOOL);

export const shortenedText = (contextTokens: number | undefined): string =>
  `The window${contextTokens === undefined ? '' : ` (${grouped(contextTokens)} tokens)`} is much smaller than the one this session began in, so the model gets shorter instructions and fewer tools here. In a larger one they are as before.`;

/**
 * A tool that can be used only since then (an index was made, a key was set) joins the next session, not this one. Which
 * those are, the prompt prefix does not tell of tools behind `use_tool`; so the few that depend on settings are tried.
 */
const asBefore = (
  before: PromptPrefix,
  system: string,
  registry: ToolRegistry,
  offer: (schemas: readonly ToolSchema[]) => OfferedTools,
): OfferedTools => {
  const fits = ({ head }: OfferedTools): boolean => prefixBreak(before, promptPrefix(system, head)) === undefined;
  const now = offer(registry.schemas);
  if (fits(now)) return now;
  const known = new Set(before.tools.map(({ name }) => name));
  const unsure = registry.schemas
    .map(({ function: { name } }) => name)
    .filter((name) => !known.has(name) && registry.get(name)?.unavailable !== undefined)
    .slice(-AGENT_LIMITS.prefixToolsTried);
  for (let choice = 1; choice < 2 ** unsure.length; choice += 1) {
    const left = new Set(unsure.filter((_name, at) => (choice >> at) & 1));
    const then = offer(registry.schemas.filter((schema) => !left.has(schema.function.name)));
    if (fits(then)) return then;
  }
  return now;
};

type OwnInstructions = PromptPrefixOptions & { tools: readonly string[] };

const instructions = (
  options: OwnInstructions,
  size: PromptSize,
  head: PromptPrefix | undefined,
  ofFolder: readonly Instructions[],
): string => {
  const { system, append, tools, isOneCall } = options;
  if (head && system === undefined && append === undefined) return head.system;
  const composed = composeSystemPrompt({ size, tools, isOneCall, replace: system, append });
  return withInstructions(composed, size, ofFolder);
};

/** Planning how to make room looks at every message of a session again and again. */
const rememberedEndings = (offered: OfferedTools): ((text: string) => string | undefined) => {
  const known = new Map<string, string | undefined>();
  return (text) => {
    if (known.has(text)) return known.get(text);
    const ending = shortlistText(text, offered);
    if (known.size >= AGENT_LIMITS.shortlistsRemembered) known.clear();
    known.set(text, ending);
    return ending;
  };
};
