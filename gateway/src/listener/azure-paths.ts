/**
 * Paths that clients of Azure OpenAI call. Those of the whole resource are those of OpenAI below another root; what a deployment
 * serves has routes of its own. Source: Azure OpenAI, REST API reference.
 */

const ROOT = '/openai/';
const OF_DEPLOYMENTS = '/openai/deployments/';
/** The name may be a text with slashes, such as `@account/model`, which SDKs do not all encode. */
const CALL =
  /^\/openai\/deployments\/(.+?)\/((?:chat\/)?completions|embeddings|images\/(?:generations|edits)|audio\/(?:speech|transcriptions|translations))(\/?)$/;
const VERSION_SEGMENT = /^\/openai\/(?:v1\/)?/;

/** A canonical request target with a path that routes know; other targets as they are. */
export function fromAzurePath(target: string): string {
  if (!target.startsWith(ROOT)) return target;
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? '' : target.slice(mark);
  if (!path.startsWith(OF_DEPLOYMENTS)) return path.replace(VERSION_SEGMENT, '/v1/') + query;
  const [, name, call, slash] = CALL.exec(path) ?? [];
  return name === undefined ? target : `${OF_DEPLOYMENTS}${name.replaceAll('/', '%2F')}/${call}${slash}${query}`;
}
