import { expect, test } from 'vitest';
import { createDatabase } from '../../database/index.ts';
import { createTestManagement } from '../../testing.ts';

test('a token that nobody can have been given does not start a database', async () => {
  const database = createDatabase({
    dialect: () => Promise.reject(new Error('started')),
    exists: () => false,
    onAway: () => undefined,
  });
  const management = await createTestManagement([], { database });
  const token = `gwi_${'a'.repeat(43)}`;
  const answer = await management.call(undefined, 'POST', '/admin/users/invites/accept', { token });
  expect(answer).toMatchObject({ status: 404, body: { error: { param: 'token' } } });
  expect(database.isOpen()).toBe(false);
  await management.close();
});
