import type { SessionFace } from '../core/events.ts';
import type { Tool } from '../core/tool.ts';
import type { Environment } from './theme.ts';

export type ModelFacts = { name: string; contextLength?: number | undefined; endpoint: string };

/** What the app needs of the program round it. What these functions throw is shown to the person. */
export type AppOptions = {
  session: SessionFace;
  openSession(): Promise<SessionFace>;
  tools: readonly Tool[];
  model: ModelFacts;
  listModels?(): Promise<readonly string[]>;
  describeModel?(name: string): Promise<ModelFacts>;
  /** Paths of the workspace, for `@` and `/context files`. */
  listFiles?(): Promise<readonly string[]>;
  /** One or two words on how commands are contained. */
  sandbox: string;
  environment: Environment;
  /** Stands in the first line: the program's version and the folder. */
  title?: string;
};
