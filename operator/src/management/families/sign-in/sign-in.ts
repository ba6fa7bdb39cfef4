/** Signing in and out. docs/behaviour/sign-in.md */
import { signIn } from '@gatehouse/crds/rest';
import { RestError } from '../../http/rest-error.ts';
import { callerOfPerson, foreignOrigin, membershipsOf, type SignIn } from '../../sessions/index.ts';
import { type BoundOperation, HttpAnswer, type Services, serveOperation } from '../family.ts';

const NO_STORE = { 'cache-control': 'no-store' };

function signInOf({ signIn: found }: Services): SignIn {
  if (found === undefined) throw new RestError('ABSENT', { message: 'Signing in is not set up' });
  return found;
}

export const SIGN_IN: readonly BoundOperation[] = [
  serveOperation(signIn.login, async ({ query }, services) => {
    const port = signInOf(services);
    const returnTo = port.pathOf(query.return_to);
    if (returnTo === undefined) {
      const message = 'return_to: expected a path of this host, such as /console';
      throw new RestError('INVALID', { message, param: 'return_to' });
    }
    const { location, setCookie } = await port.begin(returnTo);
    return new HttpAnswer(undefined, { ...NO_STORE, location, 'set-cookie': setCookie });
  }),
  serveOperation(signIn.callback, async ({ query, headers }, services) => {
    const port = signInOf(services);
    const parameters = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    );
    const { location, setCookie, user } = await port.finish(parameters, headers.cookie, ({ issuer, subject }) => {
      const change = { kind: 'Session', object: subject.slice(0, 255), action: 'create' as const, before: null };
      services.note?.({ ...change, after: { issuer } });
    });
    return new HttpAnswer(undefined, { ...NO_STORE, location, 'set-cookie': setCookie }, callerOfPerson(user));
  }),
  serveOperation(signIn.session, async ({ headers }, services) => {
    const port = signInOf(services);
    const idHash = port.sessionIn(headers.cookie);
    const found = idHash === undefined ? undefined : await port.find(idHash);
    if (found === undefined) throw new RestError('UNAUTHENTICATED', { message: 'Nobody is signed in' });
    const { session, user } = found;
    const { id, email, first_name, last_name, role } = user;
    const body = {
      object: 'session' as const,
      user: { id, email, first_name, last_name, role },
      workspaces: [...(await membershipsOf(user, services))],
      created_at: session.created_at.toISOString(),
      expires_at: session.expires_at.toISOString(),
    };
    return new HttpAnswer(body, NO_STORE, callerOfPerson(user));
  }),
  serveOperation(signIn.logout, async ({ headers }, services) => {
    const port = signInOf(services);
    if (headers.origin !== port.origin) throw foreignOrigin();
    const idHash = port.sessionIn(headers.cookie);
    const found = idHash === undefined ? undefined : await port.find(idHash);
    const gone = await port.end(headers.cookie);
    const answer = { ...NO_STORE, 'set-cookie': gone };
    if (found === undefined) return new HttpAnswer({}, answer);
    services.note?.({ kind: 'Session', object: found.user.id, action: 'delete', before: null, after: null });
    return new HttpAnswer({}, answer, callerOfPerson(found.user));
  }),
];
