export {
  estimatePatternSize,
  MAX_CONFIG_PATTERN_SIZE,
  MAX_PATTERN_LENGTH,
  MAX_PATTERN_SIZE,
  patternProblem,
} from '../patterns/index.ts';
export { type CacheSettings, cache } from './cache.ts';
export { type CheckOptions, checkCaps, checkConfig, managedSlugOf, modelSlugOf, walkTargets } from './check.ts';
export { type DropStep, parseDropPath } from './drop-path.ts';
export { parseInlineConfig } from './inline.ts';
export * from './limits.ts';
export { credentialsIn, type RoutingNode, routingNodeOf } from './node.ts';
export {
  MAX_QUERY_DEPTH,
  parseQuery,
  type Query,
  type QueryOperator,
  type QuerySubject,
} from './query.ts';
export { type RetrySettings, retry } from './retry.ts';
export { camelKeys, snakeKeys, toCamel, toSnake } from './spelling.ts';
export { type CircuitBreakerSettings, type StickySettings, type Strategy, statusCodes, strategy } from './strategy.ts';
export {
  type CommonFields,
  type Deployment,
  deployment,
  type InlineConfig,
  inlineConfig,
  type KindConfig,
  kindConfig,
  type SecretRef,
  secretKey,
  secretRef,
  settings,
} from './target.ts';
