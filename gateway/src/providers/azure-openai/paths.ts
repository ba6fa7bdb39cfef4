/** Paths by API version, which may be a date, `v1` or absent. */
import { joinQuery, splitQuery, withoutVersion, withVersion } from '../clouds/azure/index.ts';
import type { Call } from '../contract.ts';
import { fieldMissing, pathSegment, proxyPath } from '../engine/index.ts';

/** The scope of Foundry, whose paths have no API version. */
const FOUNDRY_SCOPE = 'https://ai.azure.com/.default';
/** Old style calls name the resource in the path. */
const RESOURCE_IN_PATH = /^\/([a-z0-9-]+\.openai\.azure\.com)(?=\/|$)/i;

/** `v1` is a mode and not a version: paths have it as a segment, and the deployment is the model of the body. */
export const isVersionless = (call: Call): boolean => call.fields.text('api_version')?.toLowerCase() === 'v1';

/** The path of an operation that a deployment serves. */
export const deploymentPath =
  (path: string) =>
  (call: Call): string => {
    if (isVersionless(call)) return resourcePath(call, path);
    const deployment = call.fields.text('deployment_id');
    if (deployment === undefined) throw fieldMissing(call.provider, 'deployment_id');
    return resourcePath(call, `/deployments/${pathSegment(deployment, 'deployment_id')}${path}`);
  };

/**
 * The realtime API, whose query names the deployment: beside the model, or in its place where paths have no version. Source: Azure
 * OpenAI, realtime API.
 */
export function realtimePath(call: Call, given: string): string {
  const deployment = call.fields.text('deployment_id');
  const query = new URLSearchParams(given);
  query.delete('deployment');
  if (isVersionless(call)) {
    if (deployment !== undefined) query.set('model', deployment);
    return resourcePath(call, '/realtime', query.toString());
  }
  if (deployment === undefined) throw fieldMissing(call.provider, 'deployment_id');
  query.set('deployment', deployment);
  return resourcePath(call, '/realtime', query.toString());
}

/** Of the client's query: the rest is of the WebSocket. */
const CALL_FILTER = 'webrtcfilter';

/**
 * Calls and secrets of the realtime API, which are in the API without versions alone, for accounts with a date, too. Source: Microsoft
 * Foundry, REST API reference, realtime calls; GPT Realtime API via WebRTC.
 */
export function realtimeCallPath(call: Call, below: string): string {
  const path = `/v1/realtime${below}`;
  const filter = below === '/calls' ? new URLSearchParams(call.query).get(CALL_FILTER) : null;
  return filter === null ? path : `${path}?${new URLSearchParams({ [CALL_FILTER]: filter }).toString()}`;
}

/** The path of an operation of the whole resource, with the client's query unless another is given. The target's API version wins. */
export function resourcePath(call: Call, path: string, given: string = call.query): string {
  if (isVersionless(call)) return joinQuery(`/v1${path}`, withoutVersion(given));
  const version = call.fields.text('api_version');
  const query = version === undefined ? given : withoutVersion(given);
  return joinQuery(path, withVersion(query, version));
}

/** The resource that an old style path names. A stored credential stays with the resource of its account. */
export function proxyBaseUrl(call: Call): string | undefined {
  const host = call.stored === true ? undefined : RESOURCE_IN_PATH.exec(proxyPath(call))?.[1];
  return host === undefined ? undefined : `https://${host}`;
}

/** The client's path; its own API version wins. */
export function proxiedPath(call: Call): string {
  const [path, query] = splitQuery(proxyPath(call));
  const own = call.stored === true ? path : path.replace(RESOURCE_IN_PATH, '');
  if (own === path && isVersionless(call)) return joinQuery(`/v1${path}`, withoutVersion(query));
  const versioned = call.fields.text('azure_entra_scope') !== FOUNDRY_SCOPE && !isVersionless(call);
  return joinQuery(own, versioned ? withVersion(query, call.fields.text('api_version')) : query);
}
