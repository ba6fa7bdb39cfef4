/** Paths of Azure OpenAI: the same calls, whose model is the deployment in the path. */
import type { Exchange, Route } from '../exchange.ts';
import type { JsonObject } from '../json.ts';

const CALLS = /^\/v1\/((?:chat\/)?completions|embeddings|images\/(?:generations|edits)|audio\/\w+)$/;

/** With and without the root of a resource, which accounts name in their base URL. */
const pathOf = (call: string): RegExp => new RegExp(`^/(?:openai/)?deployments/([^/:?]+)/${call}$`);

export function deploymentRoutes(routes: readonly Route[]): readonly Route[] {
  return routes.flatMap((route): Route[] => {
    const call = typeof route.path === 'string' ? CALLS.exec(route.path)?.[1] : undefined;
    if (call === undefined) return [];
    const path = pathOf(call);
    if (route.input !== 'json') return [{ ...route, path }];
    return [
      {
        ...route,
        path,
        handle: (exchange: Exchange, body: JsonObject) => route.handle(exchange, withDeployment(exchange, body)),
      },
    ];
  });
}

const withDeployment = ({ params: [deployment] }: Exchange, body: JsonObject): JsonObject => ({
  ...body,
  model: body['model'] ?? deployment,
});
