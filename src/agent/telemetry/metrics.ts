/** Counts and durations of this process, as text for whoever collects them: OpenMetrics, or the older format of Prometheus. */
import { AGENT_LIMITS } from '../limits.ts';

export type Labels = Readonly<Record<string, string>>;
export type Sample = { labels?: Labels; value: number };
export type MetricsFormat = 'openmetrics' | 'prometheus';

export const METRICS_TYPES: Readonly<Record<MetricsFormat, string>> = {
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
};

/** What the reader asks for, by its Accept header. */
export const metricsFormat = (accept: string | null | undefined): MetricsFormat =>
  accept?.includes('application/openmetrics-text') ? 'openmetrics' : 'prometheus';

export type Counter = { add(labels?: Labels, by?: number): void };
export type Histogram = { observe(labels: Labels, value: number): void };

type Family = { name: string; help: string; type: 'counter' | 'gauge' | 'histogram'; lines(): string[] };

/** Seconds; from a quick tool to an answer that takes minutes. */
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const;

export class Metrics {
  readonly #families = new Map<string, Family>();

  /**
   * Its name ends in `_total` in the text. The labels that are known beforehand are there from the start, with 0: a reader
   * that looks at what a counter rose by does not see the first of a series that began with 1.
   */
  counter(name: string, help: string, known: readonly Labels[] = []): Counter {
    const values = new Map(known.map((labels) => [textOf(labels), 0]));
    this.#add({ name, help, type: 'counter', lines: () => linesOf(`${name}_total`, values) });
    return {
      add(labels = {}, by = 1) {
        const key = keyOf(labels, values);
        values.set(key, (values.get(key) ?? 0) + by);
      },
    };
  }

  /** Of durations in seconds; its name ends in `_seconds`. */
  histogram(name: string, help: string): Histogram {
    // Each value is counted in the first bucket that holds it; whoever reads is told sums.
    const all = new Map<string, { counts: number[]; sum: number; count: number }>();
    this.#add({
      name,
      help,
      type: 'histogram',
      lines: () =>
        [...all].flatMap(([key, { counts, sum, count }]) => [
          ...SECONDS.map((le, index) =>
            line(`${name}_bucket`, withLabel(key, 'le', String(le)), sumOf(counts.slice(0, index + 1))),
          ),
          line(`${name}_bucket`, withLabel(key, 'le', '+Inf'), count),
          line(`${name}_sum`, key, sum),
          line(`${name}_count`, key, count),
        ]),
    });
    return {
      observe(labels, value) {
        const key = keyOf(labels, all);
        const one = all.get(key) ?? { counts: SECONDS.map(() => 0), sum: 0, count: 0 };
        all.set(key, one);
        one.sum += value;
        one.count += 1;
        const bucket = SECONDS.findIndex((le) => value <= le);
        if (bucket >= 0) one.counts[bucket] = (one.counts[bucket] ?? 0) + 1;
      },
    };
  }

  /** What is the case now: asked when somebody reads. */
  gauge(name: string, help: string, read: () => readonly Sample[]): void {
    this.#add({
      name,
      help,
      type: 'gauge',
      lines: () => read().map(({ labels = {}, value }) => line(name, textOf(labels), value)),
    });
  }

  families(format: MetricsFormat): string[] {
    return [...this.#families.values()].map(({ name, help, type, lines }) => {
      const shown = type === 'counter' && format === 'prometheus' ? `${name}_total` : name;
      return [`# TYPE ${shown} ${type}`, `# HELP ${shown} ${help}`, ...lines()].join('\n');
    });
  }

  #add(family: Family): void {
    if (this.#families.has(family.name)) throw new Error(`There is a metric ${family.name} already.`);
    this.#families.set(family.name, family);
  }
}

/** All of them as one text. */
export const metricsText = (format: MetricsFormat, all: readonly Metrics[]): string =>
  `${all.flatMap((metrics) => metrics.families(format)).join('\n')}\n${format === 'openmetrics' ? '# EOF\n' : ''}`;

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const escaped = (text: string): string => {
  const plain = /[\\"\n]/.test(text)
    ? text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
    : text;
  return plain.slice(0, AGENT_LIMITS.metricLabelCharacters);
};

/** Made for every request and call that is counted. */
const textOf = (labels: Labels): string => {
  let text = '';
  for (const name of Object.keys(labels)) text += `${text === '' ? '' : ','}${name}="${escaped(labels[name] ?? '')}"`;
  return text;
};

/** Names that a model or a server makes up must not fill the memory: what is too many is counted together. */
const keyOf = (labels: Labels, known: ReadonlyMap<string, unknown>): string => {
  const key = textOf(labels);
  if (known.has(key) || known.size < AGENT_LIMITS.metricSeries) return key;
  return textOf(Object.fromEntries(Object.keys(labels).map((name) => [name, 'other'])));
};

const withLabel = (key: string, name: string, value: string): string =>
  `${key}${key === '' ? '' : ','}${name}="${value}"`;

const line = (name: string, labels: string, value: number): string =>
  `${name}${labels === '' ? '' : `{${labels}}`} ${value}`;

const linesOf = (name: string, values: ReadonlyMap<string, number>): string[] =>
  [...values].map(([key, value]) => line(name, key, value));
