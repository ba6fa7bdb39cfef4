import type { ModelPlace } from '../contract.ts';

/**
 * The data plane common to upstreams of the OpenAI format, below their base URL. Source: OpenAI's API reference, without
 * organisation, projects, users, invites, keys, usage, costs, audit logs, checkpoint permissions, the deletion of models, and the
 * calls of the realtime API, which have operations of their own;
 * the last line has paths that model servers add.
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
  ...['POST /rerank', 'POST /score', 'POST /classify', 'POST /pooling', 'POST /tokenize', 'POST /detokenize'],
];

/** Patterns below another path. */
export const pathsBelow = (prefix: string, patterns: readonly string[]): readonly string[] =>
  patterns.map((pattern) => pattern.replace(' /', ` ${prefix}/`));

/** The same, also with the version segment that some clients write, and below the row's own prefix. */
export const dataPlaneOf = (patterns: readonly string[], prefix = ''): readonly string[] =>
  [...new Set(['', '/v1', prefix])].flatMap((before) => (before === '' ? patterns : pathsBelow(before, patterns)));

/** Paths of the OpenAI and Anthropic APIs that run no model. */
const WITHOUT_MODEL: readonly string[] = [
  ...['POST|DELETE /files', 'POST|DELETE /files/*'],
  ...['POST|DELETE /uploads', 'POST|DELETE /uploads/*'],
  ...['parts', 'complete', 'cancel'].map((step) => `POST /uploads/*/${step}`),
  'POST|DELETE /assistants/*',
  ...['POST|DELETE /threads', 'POST|DELETE /threads/*'],
  ...['POST|DELETE /threads/*/messages', 'POST|DELETE /threads/*/messages/*'],
  ...['', '/cancel', '/submit_tool_outputs'].map((step) => `POST /threads/*/runs/*${step}`),
  ...['', '/*', '/*/search', '/*/files', '/*/files/*'].map((path) => `POST|DELETE /vector_stores${path}`),
  ...['', '/*', '/*/cancel'].map((path) => `POST|DELETE /vector_stores/*/file_batches${path}`),
  ...['', '/*', '/*/items', '/*/items/*'].map((path) => `POST|DELETE /conversations${path}`),
  'POST /batches/*/cancel',
  ...['POST|DELETE /messages/batches/*', 'POST /messages/batches/*/cancel'],
  ...['cancel', 'pause', 'resume'].map((step) => `POST /fine_tuning/jobs/*/${step}`),
  'POST|DELETE /chat/completions/*',
  ...['DELETE /responses/*', 'POST /responses/*/cancel'],
];

/**
 * Where calls of the format name their model. In no row: batches, which name models in a file; evaluations, graders and
 * sessions, which name them inside their definitions; and edits of videos, which run the model of the video.
 */
export const OPENAI_MODEL_PLACES: readonly ModelPlace[] = [
  {
    model: 'body',
    calls: [
      ...['POST /chat/completions', 'POST /completions', 'POST /embeddings', 'POST /moderations'],
      ...['generations', 'edits', 'variations'].map((task) => `POST /images/${task}`),
      ...['speech', 'transcriptions', 'translations'].map((task) => `POST /audio/${task}`),
      ...['POST /messages', 'POST /messages/count_tokens'],
      ...['POST /responses', 'POST /responses/input_tokens', 'POST /responses/compact'],
      ...['POST /assistants', 'POST /threads/runs', 'POST /threads/*/runs', 'POST /fine_tuning/jobs', 'POST /videos'],
      ...['rerank', 'score', 'classify', 'pooling', 'tokenize', 'detokenize'].map((task) => `POST /${task}`),
    ],
  },
  { model: 'none', calls: WITHOUT_MODEL },
];

/** The same places below other paths. */
export const modelPlacesBelow = (prefixes: readonly string[], places: readonly ModelPlace[]): readonly ModelPlace[] =>
  places.map((place) => ({ ...place, calls: prefixes.flatMap((prefix) => pathsBelow(prefix, place.calls)) }));

/** The same places below every path of `dataPlaneOf`. */
export const modelPlacesOf = (places: readonly ModelPlace[], prefix = ''): readonly ModelPlace[] =>
  modelPlacesBelow([...new Set(['', '/v1', prefix])], places);
