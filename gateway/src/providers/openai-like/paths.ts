/**
 * The data plane that upstreams of the OpenAI format share, below their base URL. Source: OpenAI's API reference, without
 * organisation, projects, users, invites, keys, usage, costs, audit logs, checkpoint permissions and the deletion of models;
 * the last line is what model servers add.
 */
export const OPENAI_PATHS: readonly string[] = [
  '* /chat/completions/**',
  'POST /completions',
  'POST /embeddings',
  'POST /moderations',
  'POST /images/**',
  'GET|POST|DELETE /audio/**',
  'GET /models/**',
  'POST /messages/**',
  '* /responses/**',
  '* /conversations/**',
  'GET|POST|DELETE /files/**',
  'POST /uploads/**',
  'GET|POST /batches/**',
  'GET|POST /fine_tuning/jobs/**',
  'POST /fine_tuning/alpha/graders/*',
  'GET|POST|DELETE /assistants/**',
  'GET|POST|DELETE /threads/**',
  'GET|POST|DELETE /vector_stores/**',
  'GET|POST|DELETE /containers/**',
  'GET|POST|DELETE /videos/**',
  'GET|POST|DELETE /evals/**',
  'POST /realtime/**',
  ...['POST /rerank', 'POST /score', 'POST /classify', 'POST /pooling', 'POST /tokenize', 'POST /detokenize'],
];

/** Patterns below another path. */
export const pathsBelow = (prefix: string, patterns: readonly string[]): readonly string[] =>
  patterns.map((pattern) => pattern.replace(' /', ` ${prefix}/`));

/** The same, also with the version segment that some clients write themselves, and below the row's own prefix. */
export const dataPlaneOf = (patterns: readonly string[], prefix = ''): readonly string[] =>
  [...new Set(['', '/v1', prefix])].flatMap((before) => (before === '' ? patterns : pathsBelow(before, patterns)));
