/** What one conversation asks its model with. */
import type { JsonSchema } from '../../../core/json.ts';
import type { ModelProvider, Sampling } from '../../../core/model-port.ts';
import type { ModelProfile } from '../../../core/model-profile.ts';
import type { ProjectionOptions } from '../../../core/model-projection.ts';
import type { Clock } from '../../../core/ports.ts';
import type { PromptSize } from '../../../core/system-prompt.ts';
import type { ToolSchema } from '../../../core/tool.ts';
import type { Dialect } from '../../../dialects/index.ts';
import type { ModelSpeeds } from '../../../storage/model-speeds.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import type { ToolRegistry } from '../run-tool/tool-registry.ts';
import type { WrittenNotes } from '../window/window-ports.ts';
import type { Window } from '../window.ts';
import type { Every } from './prefill.ts';
import type { ToolNotice, UnsureTools } from './tool-notation.ts';

/** Another model that writes notes; `problem`: it could not be opened. */
export type NoteTaker = (
  session: SessionHandle,
  focus: string | undefined,
) => Promise<{ notes?: WrittenNotes | undefined; problem?: string }>;

export type CallModelOptions = {
  provider: ModelProvider;
  registry: ToolRegistry;
  sampling: Sampling;
  projection: ProjectionOptions;
  /** What a request without tools begins with. */
  systemWithoutTools: string;
  window: Window;
  /** How text is read for calls: a dialect, or `auto`. */
  dialect: Dialect;
  /** How text is read, where it is not the dialect that the prompt is written in. */
  reads?: Dialect;
  /** `injected`: tools stand in the prompt and calls are text, for servers that take no tools. */
  toolMode: 'native' | 'injected';
  /** What the person is told of the way tools are had here, once. */
  notice?: ToolNotice | undefined;
  /** Nobody says whether the model gets the tools that its server is sent. */
  unsure?: UnsureTools | undefined;
  /** Text that ends an answer. */
  stop?: readonly string[] | undefined;
  /** The shape of the next answer. */
  responseSchema?: () => JsonSchema | undefined;
  /** What is described to the model while a session that began in plan mode stays in it. */
  reading?: (() => readonly ToolSchema[]) | undefined;
  /** The size of instructions and tools, where it is another one than the session began with. */
  tier?: PromptSize | undefined;
  /** A tool that is offered from the first compaction on. */
  afterCompaction?: ToolSchema | undefined;
  noteTaker?: NoteTaker | undefined;
  /** The person's message wants no tools: what looks like a call is none. */
  toolsOff?: true;
  /** Whether the model sees pictures; undefined: nobody says. */
  vision?: boolean | undefined;
  clock: Clock;
  /** What is known of the model because it was probed. */
  profile?: ModelProfile;
  /** How fast the model is here; learns from every answer. */
  speeds?: Pick<ModelSpeeds, 'of' | 'learn' | 'learnThoughts'>;
  /** What ticks while nothing is heard; real time by default. */
  every?: Every;
};
