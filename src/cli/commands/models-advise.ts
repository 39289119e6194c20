/** `halter models advise`: which models fit this machine, what they would do here, and how to get them. */
import { join, resolve } from 'node:path';
import { noteConnections } from '../../agent/create-agent/egress-ledger.ts';
import type { Fit } from '../../agent/models/advise/machine.ts';
import { type Advice, type AdvisedModel, adviseModels } from '../../agent/models/advise.ts';
import { systemClock } from '../../io/clock.ts';
import { createNetwork } from '../../io/network.ts';
import { createProcesses } from '../../io/processes.ts';
import { createEgressFile } from '../../storage/egress-file.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import { FITS, gigabytes } from '../model-size-text.ts';
import { progressLine } from '../progress-line.ts';
import { createEnding } from '../run/ending.ts';
import { pathsOf, readConfig, reportFailure } from '../settings.ts';
import { columnsWithin, factsWithin, paragraphsWithin, widthFor } from '../table.ts';

export const modelsAdviseCommand: CommandCode = {
  async execute({ words, flags, io }) {
    const ending = createEnding(io, undefined);
    const config = await readConfig(io);
    if (!config.ok) return reportFailure(config.error, io);
    const paths = pathsOf(io);
    const offline = flags.offline ?? config.value.offline ?? false;
    const network = createNetwork({
      environment: io.env,
      offline,
      ...noteConnections(createEgressFile({ folder: paths.data })),
    });
    const processes = createProcesses({ root: io.cwd, environment: io.env });
    const progress = progressLine(io.stderr);
    try {
      progress.show('measuring this machine');
      const advice = await adviseModels({
        network,
        processes,
        clock: systemClock,
        environment: io.env,
        modelsFolder: join(paths.data, 'models'),
        cacheFolder: paths.cache,
        signal: ending.signal,
        offline,
        window: flags['context-length'],
        model: nameOf(words[0], io.cwd),
      });
      progress.clear();
      if (ending.reason() === 'interrupted') return EXIT.interrupted;
      if (!advice.ok) return reportFailure(advice.error, io);
      io.stdout.write(flags.json ? `${JSON.stringify(advice.value)}\n` : textOf(advice.value, widthFor(io.stdout)));
      return EXIT.answered;
    } finally {
      progress.clear();
      ending.release();
      processes.close();
      network.close();
    }
  },
};

/** A file is named from the folder the command was called in. */
const nameOf = (name: string | undefined, cwd: string): string | undefined =>
  name?.endsWith('.gguf') && !/^https?:\/\//.test(name) ? resolve(cwd, name) : name;

const MEASURED = {
  engine: 'measured by running the starter',
  learned: 'from earlier answers of the starter',
  memory: 'a rough guess from the speed of its memory: `halter models pull starter` makes it a measured one',
} as const;

/** What is measured now is less than the machine can do; what earlier answers taught is not measured now. */
export const isBusy = ({ load = 0, cores, pace }: Pick<Advice['machine'], 'load' | 'cores' | 'pace'>): boolean =>
  pace.from !== 'learned' && load > cores;

const machineText = ({ machine }: Advice, width: number): string => {
  const { cards } = machine;
  const graphics =
    cards.length === 0
      ? 'none found'
      : cards
          .map(({ name, by, memoryBytes, shared }) => {
            const memory = memoryBytes === undefined ? '' : `, ${gigabytes(memoryBytes)}`;
            return `${name} (${by}${memory}${shared ? ', shares the memory' : ''})`;
          })
          .join('; ');
  const rows: [string, string][] = [
    ['processor', `${machine.processor}, ${machine.cores} cores`],
    ['memory', `${gigabytes(machine.memoryBytes)}, ${gigabytes(machine.freeBytes)} free`],
    ['graphics', graphics],
    ['speed', MEASURED[machine.pace.from]],
    ...(isBusy(machine)
      ? [['', 'measured while other programs keep the machine busy: a quiet one is faster'] as [string, string]]
      : []),
  ];
  return factsWithin(rows, width);
};

const speedText = ({ reads_tokens_per_second: reads, writes_tokens_per_second: writes }: AdvisedModel): string =>
  [reads === undefined ? '' : `reads ${reads}/s`, writes === undefined ? '' : `writes ${writes}/s`]
    .filter((part) => part !== '')
    .join(', ');

const memoryText = ({ memory }: AdvisedModel): string => `${memory.atLeast ? '≥ ' : ''}${gigabytes(memory.bytes)}`;

/** What goes where a terminal is narrow: how it is stored, how fast it reads, its score, its tools, how fast it writes. */
const LEAST_FIRST = [1, 4, 7, 6, 5];

const listText = ({ models, window, date }: Advice, width: number): string => {
  const rows = models.map((model) => [
    model.id,
    model.quantisation ?? '',
    memoryText(model),
    SHORT_FITS[model.fits],
    perSecond(model.reads_tokens_per_second),
    perSecond(model.writes_tokens_per_second),
    model.tools ? 'yes' : 'no',
    model.score === undefined ? '' : `${model.score.overall} %`,
  ]);
  const reads = models.some((model) => model.reads_tokens_per_second !== undefined) ? 'reads' : '';
  const heading = ['model', '', 'memory', 'fits', reads, 'writes', 'tools', 'score'];
  const [best] = models;
  const advice =
    best?.fits === 'yes'
      ? `${paragraphsWithin(['The first is the best for this machine. Get it with:'], width)}  ${best.command}\n`
      : '';
  const notes = paragraphsWithin(
    [
      'For the command of another, and more about it: halter models advise NAME',
      `Memory is that of a window of ${window} tokens (--context-length N); ≥ where the size of its cache is not published. "tight" fits when other programs are closed. Speeds are estimates, in tokens a second. Scores are published ones on the function calling leaderboard of Berkeley (BFCL v4); where each comes from is in --json. The list is of ${date}.`,
    ],
    width,
  );
  return `${columnsWithin([heading, ...rows], width, LEAST_FIRST)}\n${advice}${notes}`;
};
const perSecond = (tokens: number | undefined): string => (tokens === undefined ? '' : `${tokens}/s`);
const SHORT_FITS = { yes: 'yes', tight: 'tight', no: 'no' } as const satisfies Record<Fit, string>;

const oneText = (model: AdvisedModel, width: number): string => {
  const { score, memory } = model;
  const parts = `weights ${gigabytes(memory.weights)}, cache ${memory.atLeast ? 'not known' : gigabytes(memory.cache)}, the rest ${gigabytes(memory.buffers)}`;
  const rows: [string, string][] = [
    ['model', [model.title, model.quantisation ?? ''].filter((part) => part !== '').join(', ')],
    ['size', `${gigabytes(model.size_bytes)}, ${(model.parameters / 1e9).toFixed(2)} billion parameters`],
    ['memory', `${memoryText(model)} with a window of ${model.window} tokens (${parts})${reclaimableText(model)}`],
    ['here', [FITS[model.fits], ...(model.card === undefined ? [] : [`and into ${model.card}`])].join(' ')],
    ['speed', `${speedText(model)} (estimates)`],
    ['tools', toolsText(model)],
    ...(score === undefined
      ? []
      : ([['score', `${score.overall} % ${score.benchmark} (${score.asked}), ${sourcesText(model)}`]] as [
          string,
          string,
        ][])),
    ...(model.license === undefined ? [] : ([['license', model.license]] as [string, string][])),
    ['get it with', model.command],
  ];
  return factsWithin(rows, width, ['get it with']);
};

const reclaimableText = ({ memory }: AdvisedModel): string =>
  memory.reclaimable === 0
    ? ''
    : `; up to ${gigabytes(memory.reclaimable)} more of the file, given back when it is needed`;

const toolsText = ({ tools, family }: AdvisedModel): string => {
  if (!tools) return 'its template knows none: halter leads it, or writes them into the prompt';
  return family === undefined ? 'its template takes them' : `its template takes them, calls as in ${family}`;
};

const sourcesText = ({ sources }: AdvisedModel): string => {
  const source = sources.find(({ title }) => title.includes('v4'));
  return source === undefined
    ? 'published'
    : [source.title, source.date ?? ''].filter((part) => part !== '').join(', ');
};

const textOf = (advice: Advice, width: number): string => {
  const [one, ...others] = advice.models;
  const list = one !== undefined && others.length === 0 ? oneText(one, width) : listText(advice, width);
  return `${machineText(advice, width)}\n${list}`;
};
