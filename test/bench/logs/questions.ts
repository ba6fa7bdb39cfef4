/** What people ask of the request log: everything that it answers, of a day and of all days, from roll-ups and from rows. */

export interface Question {
  readonly what: string;
  /** Below `/v1`. */
  readonly path: string;
}

const iso = (ms: number): string => new Date(ms).toISOString();
const DAY_MS = 86_400_000;

const GRAPHS = [
  ...['graphs/requests', 'graphs/cost', 'graphs/latency', 'graphs/tokens', 'graphs/users', 'graphs/users/requests'],
  ...['graphs/errors', 'graphs/errors/rate', 'graphs/errors/stacks', 'graphs/errors/status-codes'],
  ...['graphs/requests/rescued', 'graphs/cache/hit-rate', 'graphs/cache/latency', 'summary/cache'],
  ...['graphs/feedbacks', 'graphs/feedbacks/scores', 'graphs/feedbacks/weighted', 'graphs/feedbacks/ai-models'],
  ...['groups/users', 'groups/ai-models', 'groups/metadata/team'],
  ...['groups/api_key?columns=cost,p95_latency,p99_latency,success_rate,cache_hit_rate', 'groups/config'],
];

export function questionsOf(end: number, days: number): readonly Question[] {
  const since = (from: number): string =>
    `time_of_generation_min=${iso(from)}&time_of_generation_max=${iso(end)}&workspace_slug=team-a`;
  const [all, day] = [since(end - days * DAY_MS + 12_345), since(end - DAY_MS + 12_345)];
  const asked = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;
  return [
    ...GRAPHS.map((graph) => ({
      what: `${graph.split('?')[0]}, ${days} days`,
      path: asked(`/analytics/${graph}`, all),
    })),
    {
      what: 'graphs/cost of a model, 1 day',
      path: asked('/analytics/graphs/cost', `${day}&ai_org_model=provider-1__model-1-2`),
    },
    {
      what: 'graphs/cost of a team by metadata, 1 day',
      path: asked('/analytics/graphs/cost', `${day}&metadata={"team":"team-7"}`),
    },
    {
      what: `graphs/cost of a team by metadata, ${days} days`,
      path: asked('/analytics/graphs/cost', `${all}&metadata={"team":"team-7"}`),
    },
    { what: `logs, ${days} days`, path: asked('/logs', all) },
    {
      what: `logs of a status and an account, ${days} days`,
      path: asked('/logs', `${all}&status_code=500&virtual_keys=account-3`),
    },
    { what: `logs by tokens, ${days} days`, path: asked('/logs', `${all}&total_units_min=1800`) },
    { what: 'logs of a trace', path: asked('/logs', `${all}&trace_id=trace-3-77`) },
    { what: 'a log by its trace', path: '/logs/trace-3-77' },
    { what: `logs, page 1,000 of 100 rows`, path: asked('/logs', `${all}&page_size=100&current_page=999`) },
  ];
}
