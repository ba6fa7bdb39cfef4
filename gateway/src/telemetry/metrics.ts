/** The metrics of the data plane; docs/reference/metrics.md is generated from `METRICS` and `GAUGES`. */
import { type Aggregator, Gauge, type Registry } from 'prom-client';
import { BUDGET_GAUGES, type BudgetReading, createBudgetMetrics } from './budget-metrics.ts';
import { createCounter, createGauge, createHistogram } from './capped.ts';
import type { MetricReport } from './metrics-sum.ts';
import { openMetricsText } from './open-metrics.ts';
import { createProcessRegistry, type ProcessLabels } from './process-registry.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
/** Checks of their own take microseconds, those that call a service up to their timeout. */
const CHECK_SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const OVERHEAD_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5];

/** Every metric with its help text and labels; the `reference` is the name users of the reference know. */
export const METRICS = {
  requests: {
    name: 'gatehouse_requests_total',
    help: 'Requests answered, by operation, provider that answered and status',
    labels: ['operation', 'provider', 'status'],
    reference: 'request_count',
  },
  duration: {
    name: 'gatehouse_request_duration_seconds',
    help: 'Time from the first byte of the request to the last byte of the answer',
    labels: ['operation', 'provider'],
    reference: 'http_request_duration_seconds',
  },
  upstream: {
    name: 'gatehouse_upstream_duration_seconds',
    help: 'Time spent waiting for providers, until the answer or the first bytes of a stream were there',
    labels: ['operation', 'provider'],
    reference: 'llm_request_duration_milliseconds',
  },
  overhead: {
    name: 'gatehouse_overhead_duration_seconds',
    help: 'Time until the first byte of the answer that was not spent waiting for providers',
    labels: ['operation'],
    reference: 'gw_request_duration_milliseconds',
  },
  tokens: {
    name: 'gatehouse_tokens_total',
    help: 'Tokens of answers, as providers report them, else told from bytes; cache hits are not counted',
    labels: ['provider', 'type'],
    reference: 'llm_token_sum',
  },
  cost: {
    name: 'gatehouse_cost_usd_total',
    help: 'Cost of answers in US dollars; cache hits are not counted. For one process: budgets count exactly',
    labels: ['provider', 'workspace'],
    reference: 'llm_cost_sum',
  },
  unpriced: {
    name: 'gatehouse_unpriced_answers_total',
    help: 'Answers with tokens or images that have no price: they cost nothing here',
    labels: ['provider'],
    reference: '',
  },
  estimated: {
    name: 'gatehouse_estimated_usage_total',
    help: 'Answers whose tokens were told from their bytes: the provider did not say, or the stream was cut',
    labels: ['provider'],
    reference: '',
  },
  attempts: {
    name: 'gatehouse_target_attempts_total',
    help: 'Targets tried by routing strategies',
    labels: ['provider', 'outcome'],
    reference: '',
  },
  attemptsExhausted: {
    name: 'gatehouse_attempts_exhausted_total',
    help: 'Requests whose retries or further targets were left out: they had caused as many calls as one request may',
    labels: ['operation'],
    reference: '',
  },
  policyOverflow: {
    name: 'gatehouse_policy_overflow_total',
    help: 'Requests counted in the shared group of a policy that has too many groups in its window or period',
    labels: ['policy'],
    reference: '',
  },
  bufferRefused: {
    name: 'gatehouse_buffered_bytes_refused_total',
    help: 'Times that something found no room in the budget of buffered bytes; a request may be counted several times',
    labels: [],
    reference: '',
  },
  guardrails: {
    name: 'gatehouse_guardrails_total',
    help: 'Guardrails that have run, by phase (input, output), verdict (passed, failed, denied) and mode (enforce, monitor)',
    labels: ['phase', 'verdict', 'mode'],
    reference: '',
  },
  guardrailChecks: {
    name: 'gatehouse_guardrail_checks_total',
    help: 'Checks of guardrails by id, phase, verdict (passed, failed, error) and mode of the guardrail',
    labels: ['check', 'phase', 'verdict', 'mode'],
    reference: '',
  },
  guardrailCheckDuration: {
    name: 'gatehouse_guardrail_check_duration_seconds',
    help: 'Time that checks of guardrails took, calls to services included',
    labels: ['check'],
    reference: '',
  },
  guardrailsDropped: {
    name: 'gatehouse_guardrails_dropped_total',
    help: 'Requests whose asynchronous and monitoring guardrails did not run, because too many were running or there was no memory, by who chose them (request: its own config, resource: saved configs and defaults)',
    labels: ['workspace', 'chosen_by'],
    reference: '',
  },
  retries: { name: 'gatehouse_retries_total', help: 'Repeated calls', labels: ['provider'], reference: '' },
  cache: {
    name: 'gatehouse_cache_requests_total',
    help: 'Requests of targets with a cache, by verdict',
    labels: ['verdict'],
    reference: '',
  },
  errors: {
    name: 'gatehouse_errors_total',
    help: 'Errors by internal code, also those that became fallbacks or stream events',
    labels: ['code'],
    reference: '',
  },
  sinkErrors: {
    name: 'gatehouse_record_sink_errors_total',
    help: 'Records of requests that a sink failed to take: a log line, a count or a row is missing',
    labels: ['sink'],
    reference: '',
  },
  spansExported: {
    name: 'gatehouse_spans_exported_total',
    help: 'Spans that the collector has taken',
    labels: [],
    reference: '',
  },
  spansDropped: {
    name: 'gatehouse_spans_dropped_total',
    help: 'Spans that were not exported, by reason: queue_full (too many waited), export_failed (the collector did not take them)',
    labels: ['reason'],
    reference: '',
  },
  spanContentDropped: {
    name: 'gatehouse_span_content_dropped_total',
    help: 'Spans that were exported without prompts and answers, since too many bytes of them waited',
    labels: [],
    reference: '',
  },
  requestLogWritten: {
    name: 'gatehouse_request_log_written_total',
    help: 'Rows of the request log that were written',
    labels: [],
    reference: '',
  },
  requestLogDropped: {
    name: 'gatehouse_request_log_dropped_total',
    help: 'Rows of the request log that were not kept, by reason: queue_full (too much waited), refused (the database does not take them), shutdown (the database was away when the process ended); on a sidecar the fleet is the database',
    labels: ['reason'],
    reference: '',
  },
  sidecarLogRows: {
    name: 'gatehouse_sidecar_log_rows_total',
    help: 'Rows of the request log that sidecars have sent to this fleet, by result: accepted, refused (not of the workspace of the pod, or not what a sidecar sends), repeated (they were accepted before)',
    labels: ['result'],
    reference: '',
  },
  requestLogDocumentsWritten: {
    name: 'gatehouse_request_log_documents_written_total',
    help: 'Documents of the request log that were written to a store of objects',
    labels: [],
    reference: '',
  },
  requestLogDocumentsDropped: {
    name: 'gatehouse_request_log_documents_dropped_total',
    help: 'Documents of the request log that a store of objects has not got, by reason: store_away (it failed, or nothing is sent to it for a while), queue_full (too much waited), refused (it does not take them), shutdown (the process ended)',
    labels: ['reason'],
    reference: '',
  },
  guardrailFeedbackWritten: {
    name: 'gatehouse_guardrail_feedback_written_total',
    help: 'Feedback of guardrails that was written to the request log',
    labels: [],
    reference: '',
  },
  guardrailFeedbackDropped: {
    name: 'gatehouse_guardrail_feedback_dropped_total',
    help: 'Feedback of guardrails that the request log has not got, by reason: as for rows',
    labels: ['reason'],
    reference: '',
  },
  storeErrors: {
    name: 'gatehouse_store_errors_total',
    help: 'Failed calls to shared stores; requests go on without them',
    labels: ['store'],
    reference: '',
  },
  issuerKeyFetches: {
    name: 'gatehouse_issuer_key_fetches_total',
    help: 'Fetches of the keys of token issuers by result (ok, error); after an error the last keys are kept',
    labels: ['result'],
    reference: '',
  },
} as const;

/** `aggregator`: the value of several processes that serve together; their sum where it is absent. */
export const GAUGES = {
  inFlight: { name: 'gatehouse_requests_in_flight', help: 'Requests and streams being served' },
  openStreams: {
    name: 'gatehouse_open_streams',
    help: 'Answers being relayed to clients while they arrive: event streams, files, audio',
  },
  bufferedBytes: { name: 'gatehouse_buffered_bytes', help: 'Bytes of requests and answers held in memory' },
  bufferedBytesLimit: { name: 'gatehouse_buffered_bytes_limit', help: 'Bytes that may be held; beyond them: 503' },
  requestLogBytes: {
    name: 'gatehouse_request_log_waiting_bytes',
    help: 'Bytes of the request log that wait to be written; absent without a request log',
  },
  requestLogOldest: {
    name: 'gatehouse_request_log_oldest_seconds',
    help: 'How long the oldest row or feedback of the request log has waited to be written, about a second while all is well; 0: none waits; absent without a request log',
    aggregator: 'max',
  },
  requestLogStoreAway: {
    name: 'gatehouse_request_log_store_away',
    help: '1 while no documents are sent to the store of objects, since it failed; absent without one',
    aggregator: 'max',
  },
  snapshotVersion: {
    name: 'gatehouse_snapshot_version',
    help: 'Version of the Snapshot that serves',
    aggregator: 'min',
  },
  snapshotEntries: {
    name: 'gatehouse_snapshot_entries',
    help: 'Entries of the Snapshot that serves',
    aggregator: 'min',
  },
  snapshotSourceConnected: {
    name: 'gatehouse_snapshot_source_connected',
    help: '1 while the source of Snapshots is connected',
    aggregator: 'min',
  },
  snapshotRejected: {
    name: 'gatehouse_snapshot_rejected',
    help: '1 while a newer Snapshot is refused',
    aggregator: 'max',
  },
  limitsShared: {
    name: 'gatehouse_limits_shared',
    help: '1 while limits are counted with other gateways in Redis, or by the fleet of a sidecar; 0 while these are away, and in a sidecar without fleet; absent without Redis',
    aggregator: 'min',
  },
  budgetsShared: {
    name: 'gatehouse_budgets_shared',
    help: '1 while budgets are counted with other gateways in Redis, or by the fleet of a sidecar; 0 while these are away, and in a sidecar without fleet; absent without Redis',
    aggregator: 'min',
  },
  certificateExpiry: {
    name: 'gatehouse_tls_certificate_expiry_timestamp_seconds',
    help: 'When the TLS certificate that serves expires, in seconds since 1970; absent without TLS',
    aggregator: 'min',
  },
  ...BUDGET_GAUGES,
} as const;

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(
  options: ProcessLabels & {
    /** Bytes held now. */
    readonly bufferedBytes?: () => number;
  },
) {
  const registry = createProcessRegistry(options);
  const { gauge, lateGauge, observed } = gaugesOf(registry);
  const { bufferedBytes = () => 0 } = options;
  observed(GAUGES.bufferedBytes, bufferedBytes);
  return {
    attemptsExhausted: createCounter({ ...METRICS.attemptsExhausted, registry }),
    policyOverflow: createCounter({ ...METRICS.policyOverflow, registry }),
    bufferRefused: createCounter({ ...METRICS.bufferRefused, registry }),
    bufferedBytesLimit: gauge(GAUGES.bufferedBytesLimit),
    requests: createCounter({ ...METRICS.requests, registry }),
    duration: createHistogram({ ...METRICS.duration, registry, buckets: SECONDS }),
    upstream: createHistogram({ ...METRICS.upstream, registry, buckets: SECONDS }),
    overhead: createHistogram({ ...METRICS.overhead, registry, buckets: OVERHEAD_SECONDS }),
    tokens: createCounter({ ...METRICS.tokens, registry }),
    cost: createCounter({ ...METRICS.cost, registry }),
    unpriced: createCounter({ ...METRICS.unpriced, registry }),
    estimated: createCounter({ ...METRICS.estimated, registry }),
    attempts: createCounter({ ...METRICS.attempts, registry }),
    guardrails: createCounter({ ...METRICS.guardrails, registry }),
    guardrailChecks: createCounter({ ...METRICS.guardrailChecks, registry }),
    guardrailCheckDuration: createHistogram({
      ...METRICS.guardrailCheckDuration,
      registry,
      buckets: CHECK_SECONDS,
    }),
    guardrailsDropped: createCounter({ ...METRICS.guardrailsDropped, registry }),
    retries: createCounter({ ...METRICS.retries, registry }),
    cache: createCounter({ ...METRICS.cache, registry }),
    errors: createCounter({ ...METRICS.errors, registry }),
    sinkErrors: createCounter({ ...METRICS.sinkErrors, registry }),
    spansExported: createCounter({ ...METRICS.spansExported, registry }),
    spansDropped: createCounter({ ...METRICS.spansDropped, registry }),
    spanContentDropped: createCounter({ ...METRICS.spanContentDropped, registry }),
    requestLogWritten: createCounter({ ...METRICS.requestLogWritten, registry }),
    requestLogDropped: createCounter({ ...METRICS.requestLogDropped, registry }),
    sidecarLogRows: createCounter({ ...METRICS.sidecarLogRows, registry }),
    requestLogDocumentsWritten: createCounter({ ...METRICS.requestLogDocumentsWritten, registry }),
    requestLogDocumentsDropped: createCounter({ ...METRICS.requestLogDocumentsDropped, registry }),
    guardrailFeedbackWritten: createCounter({ ...METRICS.guardrailFeedbackWritten, registry }),
    guardrailFeedbackDropped: createCounter({ ...METRICS.guardrailFeedbackDropped, registry }),
    storeErrors: createCounter({ ...METRICS.storeErrors, registry }),
    issuerKeyFetches: createCounter({ ...METRICS.issuerKeyFetches, registry }),
    inFlight: createGauge({ ...GAUGES.inFlight, registry }),
    openStreams: createGauge({ ...GAUGES.openStreams, registry }),
    snapshotVersion: gauge(GAUGES.snapshotVersion),
    snapshotEntries: gauge(GAUGES.snapshotEntries),
    snapshotSourceConnected: gauge(GAUGES.snapshotSourceConnected),
    snapshotRejected: gauge(GAUGES.snapshotRejected),
    limitsShared: lateGauge(GAUGES.limitsShared),
    budgetsShared: lateGauge(GAUGES.budgetsShared),
    /** Takes seconds since 1970. */
    setCertificateExpiry: lateGauge(GAUGES.certificateExpiry).set,
    /** To be called once: where the use of budgets is read from when metrics are scraped. */
    observeBudgets: (read: () => Iterable<BudgetReading>): void => createBudgetMetrics(registry, read),
    /** To be called once, where there is a request log: what waits. */
    observeRequestLog: ({ bytes, oldestSeconds }: RequestLogGauges): void => {
      observed(GAUGES.requestLogBytes, bytes);
      observed(GAUGES.requestLogOldest, oldestSeconds);
    },
    /** To be called once, where documents go to a store of objects. */
    observeLogStore: (isAway: () => boolean): void => observed(GAUGES.requestLogStoreAway, () => Number(isAway())),
    /** Prometheus text format. */
    text: () => registry.metrics(),
    /** As `text`, in OpenMetrics format, with exemplars. */
    openMetrics: async (): Promise<string> => openMetricsText(await registry.getMetricsAsJSON()),
    report: (): Promise<MetricReport> => registry.getMetricsAsJSON(),
    contentType: registry.contentType,
  };
}

interface RequestLogGauges {
  bytes(): number;
  /** How long the oldest has waited. */
  oldestSeconds(): number;
}

interface GaugeRow {
  readonly name: string;
  readonly help: string;
  readonly aggregator?: Aggregator;
}

const gaugesOf = (registry: Registry) => {
  const gauge = (row: GaugeRow): Gauge => new Gauge({ ...row, registers: [registry] });
  return {
    gauge,
    /** It is absent until it has a value: a gauge that is registered has one. */
    lateGauge: (row: GaugeRow) => {
      let known: Gauge | undefined;
      return {
        set: (value: number): void => {
          known ??= gauge(row);
          known.set(value);
        },
      };
    },
    /** Its value is read when metrics are scraped. */
    observed: (row: GaugeRow, read: () => number): void => {
      new Gauge({
        ...row,
        registers: [registry],
        collect() {
          this.set(read());
        },
      });
    },
  };
};
