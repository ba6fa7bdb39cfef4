/** Paths of the Gemini API. Source: ai.google.dev, REST reference. */

const ROOT = /^\/(?:v1(?:beta|alpha)|(?:upload|download)\/v1(?:beta|alpha)?)\//;
/** Its stable version has the root of the gateway's own paths. */
const STABLE = /^\/v1\/models(?:\/.+(?::|%3A)[a-zA-Z]+)?$/;
const MODELS = /^\/v1(?:beta|alpha)?\/models\/?$/;
/** The name may be a text with slashes, such as `@account/model`, which SDKs do not encode. */
const CALL =
  /^\/v1(?:beta|alpha)?\/models\/(.+)(?::|%3A)(generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents)\/?$/;
/** As the routes have them. */
const SERVED = /^\/v1beta\/models(?:\/[^/]+\/[a-zA-Z]+)?\/?$/;

/**
 * A canonical request target with a path that routes know: that of a call that every provider serves, else one of the proxy mode.
 * Other targets as they are. `isGoogle`: a client of Google sends it.
 */
export function fromGeminiPath(target: string, isGoogle: boolean): string {
  const isBelowRoot = ROOT.test(target);
  if (!isBelowRoot && !isGoogle) return target;
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  if (SERVED.test(path) || !(isBelowRoot || STABLE.test(path))) return target;
  const query = mark < 0 ? '' : target.slice(mark);
  const [, name, call] = CALL.exec(path) ?? [];
  if (name !== undefined) return `/v1beta/models/${name.replaceAll('/', '%2F')}/${call}${query}`;
  return MODELS.test(path) ? `/v1beta/models${query}` : `/v1/proxy${target}`;
}
