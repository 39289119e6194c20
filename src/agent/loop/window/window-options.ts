/** What the window of a session is made of. */
import type { ModelMessage } from '../../../core/message.ts';
import type { ModelProvider, ModelRequest } from '../../../core/model-port.ts';
import type { ProjectionOptions } from '../../../core/model-projection.ts';
import type { CompactionMode } from '../../../core/window/compaction-mode.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import type { ToolRegistry } from '../run-tool/tool-registry.ts';
import type { ContextTokens, KnownWindowsOptions } from './known-windows.ts';

export type WindowOptions = {
  provider: ModelProvider;
  registry: ToolRegistry;
  projection: ProjectionOptions;
  /** What goes out for messages: where tools are described in words, a tokenizer has to count the words. */
  requestOf(session: SessionHandle, messages: readonly ModelMessage[]): ModelRequest;
  /** The model that the session begins with, and its window, where the server says it. */
  model: string;
  contextTokens?: ContextTokens | undefined;
  /** `notes` by default. */
  compaction?: CompactionMode | undefined;
  /** Another model writes the notes, so that one which cannot has them as well. */
  hasNoteTaker?: boolean;
  /** The model can look up what was left out. */
  isSearchable?: boolean;
  /** Whether a window of so many tokens wants other instructions and tools than those that are sent. */
  isOutgrown?(session: SessionHandle, contextTokens: number): boolean;
} & Pick<KnownWindowsOptions, 'told' | 'isLearned' | 'learned' | 'onLearned'>;
