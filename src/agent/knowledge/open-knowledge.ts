/**
 * What a program knows of its folder beyond the files themselves: the index, where it is in use, and the curator of long
 * files. Nothing of it is loaded before it is needed.
 */
import type { Progress } from '../../core/events.ts';
import type { OpenSharedIndex } from '../../core/index-port.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ModelError } from '../../core/model-port.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { Workspace } from '../../core/ports.ts';
import type { Curator, Embedder, Retrieval } from '../../core/retrieval-port.ts';
import { type CuratorMode, type GraphRagMode, RETRIEVAL_SETTING } from '../../core/retrieval-settings.ts';
import type { CuratorMemory, Judge } from '../../search/curator/curator.ts';
import { KeptIndex } from '../../search/keep-indexed.ts';
import { openRetrieval, type RetrievalService } from '../../search/open-retrieval.ts';
import { closeAll } from '../close-all.ts';
import type { ToolPorts } from '../loop/run-tool/tool-ports.ts';
import type { ChosenModel } from '../models/choose-model.ts';
import type { OpenSession } from '../session.ts';
import { openIndexFolder } from './index-folder.ts';

export type KnowledgeOptions = {
  workspace: Workspace;
  /** The data folders: of the program halter, and of this agent where it keeps anything. */
  folders: { program: string; own: string | undefined };
  /** Where processes share an index; absent: a file in a data folder. */
  sharedIndex?: OpenSharedIndex | undefined;
  graphRag?: GraphRagMode;
  curator?: CuratorMode;
  embedder?: Embedder;
  model?(): Promise<Outcome<ChosenModel, ModelError>>;
  onWarning(code: string, message: string): void;
};

export type Knowledge = {
  /** For tools that ask whether they can be used. */
  config: JsonObject;
  ports: Pick<ToolPorts, 'retrieval' | 'curatorFor'>;
  /** The index, in use or not. */
  readonly service: RetrievalService;
  /** Keeps the index up to date while this session is open, where it is in use. */
  attend(session: OpenSession): OpenSession;
  close(): Promise<void>;
};

export const openKnowledge = async (options: KnowledgeOptions): Promise<Knowledge> => {
  const { workspace, folders, sharedIndex, embedder, graphRag = 'auto', curator = 'deterministic' } = options;
  const place = { root: workspace.root, graphRag, ...folders };
  const { folder, remove } = sharedIndex ? { folder: folders.program } : await openIndexFolder(place);
  const service = openRetrieval({ dataFolder: folder, workspace, embedder, shared: sharedIndex });
  const inUse = graphRag === 'on' || (graphRag === 'auto' && (await service.exists()));
  const onProblem = (message: string): void => options.onWarning('index', message);
  let attended: KeptIndex | undefined;
  /** Where no session attends to the index, the first question does. It waits for an index that is being made. */
  const asked = (): void => {
    if (graphRag === 'on') attended ??= new KeptIndex(service, workspace.root, onProblem);
  };
  const retrieval: Retrieval = {
    ...service,
    search(query, how) {
      asked();
      return service.search(query, how);
    },
    graph: {
      ask(question) {
        asked();
        return service.graph.ask(question);
      },
    },
  };
  return {
    config: { [RETRIEVAL_SETTING]: inUse },
    ports: {
      retrieval: inUse ? retrieval : undefined,
      curatorFor: curator === 'off' ? undefined : createCuratorFor(curator === 'model' ? options.model : undefined),
    },
    service,
    attend(session) {
      if (!inUse) return session;
      const kept = new KeptIndex(service, workspace.root, onProblem);
      attended ??= kept;
      session.subscribe((update) => kept.hear(update));
      const andThen = (end: () => Promise<void>) => async (): Promise<void> => {
        const problems = await closeAll([
          ['the session', end],
          ['the index of the session', () => kept.close()],
        ]);
        for (const problem of problems) options.onWarning('close_failed', problem);
      };
      return { ...session, close: andThen(session.close), leave: andThen(session.leave) };
    },
    async close() {
      await attended?.close();
      await service.close();
      await remove?.();
    },
  };
};

/** One memory for all sessions of a program: the messages are part of what is remembered. */
export const createCuratorFor = (model?: KnowledgeOptions['model']): NonNullable<ToolPorts['curatorFor']> => {
  const memory: CuratorMemory = new Map();
  return (messages, tell, resultCharacters) => {
    let curator: Promise<Curator> | undefined;
    const open = async (): Promise<Curator> => {
      const [{ createCurator }, judge] = await Promise.all([
        import('../../search/curator/curator.ts'),
        model === undefined ? undefined : openJudge(model, tell),
      ]);
      return createCurator({ messages, memory, resultCharacters, judge });
    };
    return {
      async curate(file, signal) {
        curator ??= open();
        return (await curator).curate(file, signal);
      },
    };
  };
};

const openJudge = async (
  model: NonNullable<KnowledgeOptions['model']>,
  tell: (update: Progress) => void,
): Promise<Judge> => {
  const { createJudge } = await import('../../search/curator-judge.ts');
  return createJudge(model, tell);
};
