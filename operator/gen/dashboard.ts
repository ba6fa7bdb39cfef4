/** The Grafana dashboard, from a table of its panels. */

interface Query {
  readonly expr: string;
  readonly legend: string;
}

interface Panel {
  readonly title: string;
  readonly unit: 'reqps' | 's' | 'percentunit' | 'short' | 'ops';
  readonly queries: readonly Query[];
}

const query = (expr: string, legend: string): Query => ({ expr, legend });

/** Series of the chosen fleets. */
const FLEET = 'namespace=~"$namespace", gatehouse_dev_fleet=~"$fleet"';

const rate = (metric: string, by: string, more = ''): string =>
  `sum by (${by}) (rate(${metric}{${FLEET}${more}}[$__rate_interval]))`;
const quantile = (q: number, metric: string): string => `histogram_quantile(${q}, ${rate(`${metric}_bucket`, 'le')})`;
const quantiles = (metric: string): readonly Query[] =>
  [0.5, 0.95, 0.99].map((q) => query(quantile(q, metric), `p${q * 100}`));

const ROWS: readonly (readonly [title: string, panels: readonly Panel[]])[] = [
  [
    'Traffic',
    [
      {
        title: 'Requests by status',
        unit: 'reqps',
        queries: [query(rate('gatehouse_requests_total', 'status'), '{{status}}')],
      },
      {
        title: 'Requests by provider',
        unit: 'reqps',
        queries: [query(rate('gatehouse_requests_total', 'provider'), '{{provider}}')],
      },
      {
        title: 'Share of errors',
        unit: 'percentunit',
        queries: [
          query(
            `${rate('gatehouse_requests_total', 'provider', ', status=~"5.."')} / ${rate('gatehouse_requests_total', 'provider')}`,
            '{{provider}}',
          ),
        ],
      },
      {
        title: 'Requests and streams in flight',
        unit: 'short',
        queries: [query(`sum by (pod) (gatehouse_requests_in_flight{${FLEET}})`, '{{pod}}')],
      },
    ],
  ],
  [
    'Time',
    [
      { title: 'Whole request', unit: 's', queries: quantiles('gatehouse_request_duration_seconds') },
      { title: 'Waiting for providers', unit: 's', queries: quantiles('gatehouse_upstream_duration_seconds') },
      { title: 'Added by the gateway', unit: 's', queries: quantiles('gatehouse_overhead_duration_seconds') },
    ],
  ],
  [
    'Providers, tokens, cache',
    [
      {
        title: 'Targets tried',
        unit: 'ops',
        queries: [query(rate('gatehouse_target_attempts_total', 'provider, outcome'), '{{provider}} {{outcome}}')],
      },
      {
        title: 'Repeated calls',
        unit: 'ops',
        queries: [query(rate('gatehouse_retries_total', 'provider'), '{{provider}}')],
      },
      {
        title: 'Tokens',
        unit: 'ops',
        queries: [query(rate('gatehouse_tokens_total', 'provider, type'), '{{provider}} {{type}}')],
      },
      {
        title: 'Cache',
        unit: 'reqps',
        queries: [query(rate('gatehouse_cache_requests_total', 'verdict'), '{{verdict}}')],
      },
      {
        title: 'Errors by code',
        unit: 'ops',
        queries: [query(rate('gatehouse_errors_total', 'code'), '{{code}}')],
      },
      {
        title: 'Failed calls to shared stores',
        unit: 'ops',
        queries: [query(rate('gatehouse_store_errors_total', 'store'), '{{store}}')],
      },
    ],
  ],
  [
    'Configuration',
    [
      {
        title: 'Version that serves',
        unit: 'short',
        queries: [query(`max by (pod) (gatehouse_snapshot_version{${FLEET}})`, '{{pod}}')],
      },
      {
        title: 'Entries that serve',
        unit: 'short',
        queries: [query(`max by (pod) (gatehouse_snapshot_entries{${FLEET}})`, '{{pod}}')],
      },
      {
        title: 'Pods that refuse a newer version',
        unit: 'short',
        queries: [query(`sum(gatehouse_snapshot_rejected{${FLEET}})`, 'pods')],
      },
      {
        title: 'From a change to every pod',
        unit: 's',
        queries: [0.5, 0.99].map((q) =>
          query(
            `histogram_quantile(${q}, sum by (le) (rate(gatehouse_operator_propagation_seconds_bucket[$__rate_interval])))`,
            `p${q * 100}`,
          ),
        ),
      },
      {
        title: 'Objects that are refused',
        unit: 'short',
        queries: [query('max(gatehouse_operator_refused_objects)', 'objects')],
      },
      {
        title: 'Sidecars with a stream',
        unit: 'short',
        queries: [query('sum(gatehouse_operator_sidecar_streams)', 'sidecars')],
      },
    ],
  ],
  [
    'Operator',
    [
      {
        title: 'Runs of controllers',
        unit: 'ops',
        queries: [
          query(
            'sum by (controller, outcome) (rate(gatehouse_operator_reconciles_total[$__rate_interval]))',
            '{{controller}} {{outcome}}',
          ),
        ],
      },
      {
        title: 'Objects that wait',
        unit: 'short',
        queries: [query('max by (controller) (gatehouse_operator_queue_depth)', '{{controller}}')],
      },
      {
        title: 'Age of caches',
        unit: 's',
        queries: [query('max by (resource) (gatehouse_operator_cache_age_seconds)', '{{resource}}')],
      },
      {
        title: 'Calls to the API server',
        unit: 'reqps',
        queries: [
          query(
            'sum by (verb, code) (rate(gatehouse_operator_api_calls_total[$__rate_interval]))',
            '{{verb}} {{code}}',
          ),
        ],
      },
    ],
  ],
];

const WIDTH = 24;
const PANELS_PER_LINE = 3;
const HEIGHT = 8;
const SOURCE = { type: 'prometheus', uid: '$datasource' };

/** The dashboard as Grafana imports it. */
export function dashboard(): Record<string, unknown> {
  const variable = (name: string, label: string) => ({
    ...{ name, type: 'query', datasource: SOURCE, refresh: 2, includeAll: true, multi: true },
    query: `label_values(gatehouse_snapshot_version, ${label})`,
    current: { text: 'All', value: '$__all' },
  });
  return {
    uid: 'gatehouse',
    title: 'Gatehouse',
    tags: ['gatehouse'],
    schemaVersion: 41,
    editable: true,
    time: { from: 'now-1h', to: 'now' },
    refresh: '30s',
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus', current: {} },
        variable('namespace', 'namespace'),
        variable('fleet', 'gatehouse_dev_fleet'),
      ],
    },
    panels: placed(),
  };
}

/** Row titles and panels, one below the other. */
function placed(): Record<string, unknown>[] {
  const panels: Record<string, unknown>[] = [];
  let y = 0;
  for (const [title, row] of ROWS) {
    panels.push({ id: panels.length + 1, type: 'row', title, gridPos: { x: 0, y, w: WIDTH, h: 1 }, panels: [] });
    y += 1;
    for (const [i, panel] of row.entries()) {
      const w = WIDTH / PANELS_PER_LINE;
      const gridPos = { x: (i % PANELS_PER_LINE) * w, y: y + Math.floor(i / PANELS_PER_LINE) * HEIGHT, w, h: HEIGHT };
      panels.push({ id: panels.length + 1, ...toPanel(panel), gridPos });
    }
    y += Math.ceil(row.length / PANELS_PER_LINE) * HEIGHT;
  }
  return panels;
}

const toPanel = ({ title, unit, queries }: Panel) => ({
  type: 'timeseries',
  title,
  datasource: SOURCE,
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  targets: queries.map(({ expr, legend }, i) => ({
    ...{ refId: String.fromCodePoint(65 + i), datasource: SOURCE, expr, legendFormat: legend },
  })),
});
