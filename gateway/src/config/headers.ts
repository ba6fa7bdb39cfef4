/** The gateway's own headers, for docs/reference/headers.md; vendor headers are in the provider catalogue. */

export interface HeaderRow {
  readonly name: string;
  readonly meaning: string;
}

export const REQUEST_HEADERS: readonly HeaderRow[] = [
  {
    name: 'x-gw-api-key',
    meaning:
      'the gateway key; when absent the bearer token of `Authorization`, `x-api-key`, `api-key` or `x-goog-api-key`',
  },
  {
    name: 'x-gw-provider',
    meaning: 'a provider id, `@slug` of a managed provider, or `gw` for files and batches of the gateway itself',
  },
  { name: 'x-gw-virtual-key', meaning: 'the slug of a managed provider (older form)' },
  { name: 'x-gw-config', meaning: 'a saved config slug, or a config as JSON when it starts with `{`' },
  {
    name: 'x-gw-default-config',
    meaning:
      'a saved config slug for a request that has neither `x-gw-config` nor a default of its key: sent by sidecars that pass requests on to a fleet',
  },
  {
    name: 'x-gw-custom-host',
    meaning:
      'base URL that replaces the one of the provider; a stored credential goes along only to hosts of TRUSTED_CUSTOM_HOSTS',
  },
  { name: 'x-gw-trace-id', meaning: 'identifier of the request, echoed; generated when absent' },
  {
    name: 'x-gw-client-address',
    meaning: 'set by gateways for the management API: who has called; that of a client is replaced',
  },
  { name: 'x-gw-span-id', meaning: 'span of the request' },
  { name: 'x-gw-parent-span-id', meaning: 'parent of the span' },
  { name: 'x-gw-span-name', meaning: 'name of the span' },
  { name: 'x-gw-metadata', meaning: 'JSON object for conditions, sticky sessions and records' },
  {
    name: 'x-gw-cache-namespace',
    meaning:
      'partition of the cache; metadata no longer counts, and calls that forward headers or bring settings of their own are not cached',
  },
  { name: 'x-gw-cache-force-refresh', meaning: '`true` calls the provider and stores the new answer' },
  {
    name: 'x-gw-request-timeout',
    meaning: 'ms until a call is ended with 408, to the last byte; for event streams until the first event',
  },
  {
    name: 'x-gw-forward-headers',
    meaning:
      'comma list or JSON array of headers passed to the provider untouched; not those that hold a gateway key, belong to the connection or open metadata services, and no credentials beside a stored one',
  },
  {
    name: 'x-gw-sensitive-headers',
    meaning: 'comma list or JSON array of headers whose values are shown as a keyed hash in logs',
  },
  { name: 'x-gw-strict-open-ai-compliance', meaning: '`false` allows fields beyond the OpenAI format in answers' },
  { name: 'x-gw-usage-headers', meaning: '`true` asks for headers with tokens and cost of a whole answer' },
  { name: 'x-gw-fetch-integrated-models', meaning: '`true` answers `GET /v1/models` from the catalogue' },
  {
    name: 'x-gw-provider-responses-proxy',
    meaning: '`true` when the deployment of `azure-ai` has the responses API',
  },
  {
    name: 'via',
    meaning:
      'sent by gateways to custom hosts: pseudonyms (`1.1 gatehouse-ID`) of the fleets a request came through; one that comes back is refused',
  },
  {
    name: 'x-gw-debug',
    meaning:
      '`false` keeps bodies out of the request log, but for answers that failed, and the answer out of the cache',
  },
  {
    name: 'x-gw-override-service-log-usage',
    meaning:
      '`true` charges budgets of the key and the workspace with tokens and cost of records that clients bring for the request log',
  },
  {
    name: 'x-gw-beta',
    meaning:
      'names of beta features with commas; `server-side-mcp-2026-06-01` and `use-responses-api-2026-07-30` are refused (400), others ignored',
  },
  { name: 'x-gw-ignore-service-log', meaning: '`true` is refused (400): every request is recorded' },
];

export const RESPONSE_HEADERS: readonly HeaderRow[] = [
  { name: 'x-gw-trace-id', meaning: 'identifier of the request; on every answer' },
  { name: 'x-request-id', meaning: 'the one of the provider, else the trace id; on every answer' },
  { name: 'request-id', meaning: 'the same, on answers below `/v1/messages`' },
  { name: 'x-gw-provider', meaning: 'id of the provider that was called, where it is known' },
  { name: 'x-gw-model', meaning: 'the model that it was called for, where it is known' },
  { name: 'x-gw-last-used-option-index', meaning: 'path of the target that answered, e.g. `config.targets[1]`' },
  { name: 'x-gw-retry-attempt-count', meaning: 'retries used; 0 for none, -1 when they were used up' },
  { name: 'x-gw-cache-status', meaning: 'HIT, MISS, REFRESH or DISABLED' },
  {
    name: 'x-gw-dropped-params',
    meaning: 'comma list of parameters that were left out, because the provider does not have them',
  },
  {
    name: 'x-gw-guardrails',
    meaning:
      '`NOT_APPLIED` where a realtime session is opened although guardrails apply that would deny or change calls',
  },
  { name: 'x-gw-usage-input-tokens', meaning: 'tokens of the input; on request (`x-gw-usage-headers`)' },
  { name: 'x-gw-usage-output-tokens', meaning: 'tokens of the output; on request' },
  { name: 'x-gw-usage-cached-tokens', meaning: 'tokens of the input that the provider had cached; on request' },
  { name: 'x-gw-usage-reasoning-tokens', meaning: 'tokens of the output that were reasoning; on request' },
  { name: 'x-gw-cost-usd', meaning: 'cost in US dollars, exact; on request' },
  { name: 'x-gw-cost-notes', meaning: '`unpriced`, `estimated`: what is not known of the cost; on request' },
  { name: 'x-gw-gateway-exception', meaning: '`true` when the gateway itself refused or failed the operation' },
  {
    name: 'x-gw-attempts-exhausted',
    meaning: '`true` when retries or targets were left out because the request had caused as many calls as it may',
  },
  { name: 'x-gw-body-replayable', meaning: '`false` when the body was too large to be sent again' },
];
