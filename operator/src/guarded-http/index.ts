/** Calls to hosts that resources name, which may be anybody's. */
export {
  createHttp,
  type Http,
  type HttpAnswer,
  type HttpCall,
  type HttpOptions,
  type HttpProblem,
  type HttpReach,
} from './guarded-http.ts';
