/**
 * Metrics in OpenMetrics text format 1.0, which has exemplars: docs/behaviour/tracing.md#exemplars. Names and labels of series are those of the
 * classic format. Source: https://prometheus.io/docs/specs/om/open_metrics_spec/
 */
import type { Exemplar } from './capped.ts';
import type { MetricReport } from './metrics-sum.ts';

export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

type Metric = MetricReport[number];
/** Values of our histograms have exemplars beside what the registry knows; those of its own have null. */
type Value = Metric['values'][number] & { readonly metricName?: string; readonly exemplar?: Exemplar | null };

const TOTAL = '_total';
const SECOND_MS = 1_000;

export function openMetricsText(report: MetricReport): string {
  const lines: string[] = [];
  for (const metric of report) addFamily(lines, metric);
  lines.push('# EOF', '');
  return lines.join('\n');
}

function addFamily(lines: string[], { name, help, type: given, values }: Metric): void {
  const type = given as unknown as string; // an enum of the types only
  const isTotal = type === 'counter' && name.endsWith(TOTAL);
  const family = isTotal ? name.slice(0, -TOTAL.length) : name;
  lines.push(`# TYPE ${family} ${typeOf(type, isTotal)}`, `# HELP ${family} ${escaped(help)}`);
  for (const each of values) {
    const { metricName = name, labels, value, exemplar } = each as Value;
    const sample = `${metricName}${labelsOf(labels as Labels)} ${numberOf(value)}`;
    lines.push(exemplar ? `${sample} # ${exemplarOf(exemplar)}` : sample);
  }
}

/** A counter has its suffix; what has no type of the format is `unknown`. */
function typeOf(type: string, isTotal: boolean): string {
  if (type === 'counter') return isTotal ? type : 'unknown';
  return TYPES.has(type) ? type : 'unknown';
}

const TYPES: ReadonlySet<string> = new Set(['gauge', 'histogram', 'summary']);

type Labels = Readonly<Record<string, string | number>>;

function labelsOf(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const exemplarOf = ({ traceId, spanId, value, atMs }: Exemplar): string =>
  `{trace_id="${traceId}",span_id="${spanId}"} ${numberOf(value)} ${(atMs / SECOND_MS).toFixed(3)}`;

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');

function numberOf(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

/** Whether a scraper that sends this `Accept` header prefers the format to the classic one. Who names neither gets the classic one. */
export function wantsOpenMetrics(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes('application/openmetrics-text')) return false;
  let open = 0;
  let classic = 0;
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const of = (name: string): string | undefined =>
      parameters.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
    const quality = Number(of('q') ?? 1);
    if (type === 'text/plain') classic = Math.max(classic, quality);
    else if (type === 'application/openmetrics-text' && (of('version') ?? '1.0.0') === '1.0.0')
      open = Math.max(open, quality);
  }
  return open > 0 && open >= classic;
}
