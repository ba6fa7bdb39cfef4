/** The paths that a route takes, such as `/v1/files/:file_id`: each parameter is any segment. */
export const routePattern = (route: string): RegExp => new RegExp(`^${route.replaceAll(/:[a-z_]+/g, '[^/]+')}$`);
