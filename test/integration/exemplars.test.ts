/** Exemplars of histograms name traces that the collector has: docs/behaviour/tracing.md#exemplars. */
import { expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { send } from '../kit/http.ts';
import { startOtlpReceiver } from '../kit/otlp-receiver.ts';
import { waitFor } from '../kit/wait-for.ts';

const OPEN = 'application/openmetrics-text;version=1.0.0;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABELS = String.raw`\{(?:${NAME}="(?:[^"\\\n]|\\["\\n])*"(?:,(?!\}))?)*\}`;
const NUMBER = String.raw`(?:[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?|NaN|[+-]Inf)`;
const SAMPLE = new RegExp(`^(${NAME})(${LABELS})? (${NUMBER})(?: # (${LABELS}) (${NUMBER}) (${NUMBER}))?$`);
/** By type: what samples may have behind the name of their family. */
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total'],
  gauge: [''],
  unknown: [''],
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

interface Exemplar {
  readonly sample: string;
  readonly labels: string;
}

/** Throws at what is no OpenMetrics text. */
function exemplarsOf(text: string): readonly Exemplar[] {
  expect(text.endsWith('\n# EOF\n')).toBe(true);
  const families = new Set<string>();
  const found: Exemplar[] = [];
  let [family, type] = ['', ''];
  for (const line of text.slice(0, -'# EOF\n'.length - 1).split('\n')) {
    const [, name, said] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (name !== undefined && said !== undefined) {
      expect(families.has(name), line).toBe(false);
      families.add(name);
      [family, type] = [name, said];
    } else if (line.startsWith('#')) {
      expect(line.startsWith(`# HELP ${family} `), line).toBe(true);
    } else {
      const [, sample = '', , , labels] = SAMPLE.exec(line) ?? expect.unreachable(line);
      expect(
        SUFFIXES[type]?.map((suffix) => family + suffix),
        line,
      ).toContain(sample);
      if (labels !== undefined) found.push({ sample, labels });
    }
  }
  return found;
}

const scrape = ({ adminUrl }: World, accept?: string) =>
  send(`${adminUrl}/metrics`, accept === undefined ? {} : { headers: { accept } });

const chat = (world: World, trace: string, flags: string) =>
  world.send('/v1/chat/completions', {
    headers: { 'x-gw-provider': '@openai', traceparent: `00-${trace}-00f067aa0ba902b7-${flags}` },
    body: { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] },
  });

test('a histogram names the last exported trace of a bucket, to scrapers that can read it', async () => {
  const [loud, quiet] = ['c1'.padStart(32, 'd'), 'c2'.padStart(32, 'd')];
  await using collector = await startOtlpReceiver();
  await using world = await startWorld({
    env: { OTEL_BSP_SCHEDULE_DELAY: '1', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  await chat(world, quiet, '00');
  await waitFor(async () => (await world.metric('gatehouse_requests_total')) === 1, { what: 'the request counted' });
  const before = await scrape(world, OPEN);
  expect(before.headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  expect(exemplarsOf(before.text)).toEqual([]);

  await chat(world, loud, '01');
  const [request] = await collector.trace(loud, 2);
  const { text } = await scrape(world, OPEN);
  const labels = `{trace_id="${loud}",span_id="${request?.spanId}"}`;
  expect(exemplarsOf(text)).toEqual([
    { sample: 'gatehouse_request_duration_seconds_bucket', labels },
    { sample: 'gatehouse_upstream_duration_seconds_bucket', labels },
    { sample: 'gatehouse_overhead_duration_seconds_bucket', labels },
  ]);

  const classic = await scrape(world);
  expect(classic.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(classic.text).not.toContain('trace_id');
  expect(seriesOf(text)).toEqual(seriesOf(classic.text));
});

const seriesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('gatehouse_request') || line.startsWith('gatehouse_upstream'))
    .map((line) => line.replace(/ # .*/, ''))
    .map((line) => line.slice(0, line.lastIndexOf(' ')))
    .sort();
