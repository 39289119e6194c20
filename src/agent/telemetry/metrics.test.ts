import { describe, expect, it } from 'vitest';
import { AGENT_LIMITS } from '../limits.ts';
import { createAgentMetrics, withoutSecrets } from './agent-metrics.ts';
import { Metrics, metricsFormat, metricsText } from './metrics.ts';

describe('figures as text', () => {
  it('are OpenMetrics for whoever accepts it, and the older format for others', () => {
    const metrics = new Metrics();
    metrics.counter('halter_steps', 'Steps.').add({}, 2);
    metrics.gauge('halter_open', 'Open.', () => [{ value: 3 }]);
    expect(metricsText(metricsFormat('application/openmetrics-text; version=1.0.0, */*;q=0.1'), [metrics])).toBe(
      [
        '# TYPE halter_steps counter',
        '# HELP halter_steps Steps.',
        'halter_steps_total 2',
        '# TYPE halter_open gauge',
        '# HELP halter_open Open.',
        'halter_open 3',
        '# EOF\n',
      ].join('\n'),
    );
    const older = metricsText(metricsFormat(null), [metrics]);
    expect(older).toContain('# TYPE halter_steps_total counter\n');
    expect(older).not.toContain('# EOF');
  });

  it('count durations in growing buckets', () => {
    const metrics = new Metrics();
    const histogram = metrics.histogram('halter_wait_seconds', 'Waits.');
    for (const seconds of [0.01, 0.3, 1_000]) histogram.observe({ decision: 'deny' }, seconds);
    const text = metricsText('openmetrics', [metrics]);
    expect(text).toContain('halter_wait_seconds_bucket{decision="deny",le="0.05"} 1\n');
    expect(text).toContain('halter_wait_seconds_bucket{decision="deny",le="0.5"} 2\n');
    expect(text).toContain('halter_wait_seconds_bucket{decision="deny",le="+Inf"} 3\n');
    expect(text).toContain('halter_wait_seconds_count{decision="deny"} 3\n');
  });

  it('hold no label that breaks a line, and no more series than there may be', () => {
    const metrics = new Metrics();
    const counter = metrics.counter('halter_errors', 'Errors.');
    counter.add({ code: 'a"b\\c\nd' });
    expect(metricsText('openmetrics', [metrics])).toContain('halter_errors_total{code="a\\"b\\\\c\\nd"} 1\n');
    for (let index = 0; index < 2 * AGENT_LIMITS.metricSeries; index += 1) counter.add({ code: `made-up-${index}` });
    const text = metricsText('openmetrics', [metrics]);
    expect(text.split('\n').filter((line) => line.startsWith('halter_errors_total'))).toHaveLength(
      AGENT_LIMITS.metricSeries + 1,
    );
    expect(text).toContain('halter_errors_total{code="other"}');
  });

  // What a counter rose by is looked at: a series that begins with 1 did not rise.
  it.for([
    'halter_steps_total 0',
    'halter_permission_questions_total 0',
    'halter_tool_calls_total{outcome="ok"} 0',
    'halter_tool_calls_total{outcome="io_error"} 0',
    'halter_runs_total{outcome="completed"} 0',
    'halter_runs_total{outcome="loop"} 0',
    'halter_errors_total{code="unreachable"} 0',
    'halter_errors_total{code="run_lost"} 0',
  ])('say %s before anything happened', (line) => {
    expect(metricsText('openmetrics', [createAgentMetrics().metrics]).split('\n')).toContain(line);
  });

  it('count on from the 0 of a label that is known beforehand', () => {
    const metrics = new Metrics();
    const jobs = metrics.counter('halter_jobs', 'Jobs.', [{ event: 'began' }, { event: 'took_over' }]);
    jobs.add({ event: 'took_over' });
    const text = metricsText('openmetrics', [metrics]);
    expect(text.split('\n').filter((line) => line.startsWith('halter_jobs_total'))).toEqual([
      'halter_jobs_total{event="began"} 0',
      'halter_jobs_total{event="took_over"} 1',
    ]);
  });

  it('name an address without what is secret in it', () => {
    expect(withoutSecrets('http://user:pass@gpu1:8000/v1?key=x')).toBe('http://gpu1:8000/v1');
    expect(withoutSecrets('/models/a.gguf')).toBe('/models/a.gguf');
  });
});
