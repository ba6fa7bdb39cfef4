/**
 * What Redis runs. A counter is a hash: `s` start of its window in Unix ms, `n` units taken, those held by estimates included,
 * `x` the earliest end of a lease, `g` the number of the last lease, and `l:PROCESS` the lease of a process on the counter as
 * "units:end:number". A lease that has ended is returned by the next script that looks at the counter. Numbers of Lua are
 * doubles: exact up to 2^53 - 1, where counts stop.
 */
import { defineScript, type RedisScript } from '../../store/index.ts';

/** ARGV[1] is the time in ms, or empty for the clock of Redis; ARGV[2] the process. A window never moves back, as clocks may. */
const PRELUDE = `
local MOST = 9007199254740991
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local own = 'l:' .. ARGV[2]
local function whole(number) return string.format('%.0f', number) end
local function parse(lease)
  local units, ends, number = string.match(lease, '^(%d+):(%d+):(%d+)$')
  return tonumber(units) or 0, tonumber(ends) or 0, number
end
local function sweep(c)
  local all, earliest, ended = redis.call('HGETALL', c.key), false, {}
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, 2) == 'l:' then
      local units, ends = parse(all[i + 1])
      if ends <= now then
        c.n = math.max(0, c.n - units)
        ended[#ended + 1] = all[i]
        if all[i] == own then c.lease = false end
      elseif not earliest or ends < earliest then
        earliest = ends
      end
    end
  end
  c.x = earliest
  redis.call('HSET', c.key, 'n', whole(c.n), 'x', earliest and whole(earliest) or '')
  if #ended > 0 then redis.call('HDEL', c.key, unpack(ended)) end
end
local function load(key, size)
  local found = redis.call('HMGET', key, 's', 'n', 'x', 'g', own)
  local start, s = now - now % size, tonumber(found[1])
  if not s or s < start or s > start + size then
    return { key = key, size = size, s = start, n = 0, g = 0, lease = false, fresh = true }
  end
  local c = { key = key, size = size, s = s, n = tonumber(found[2]) or 0, g = tonumber(found[4]) or 0 }
  c.x, c.lease = tonumber(found[3]), found[5]
  if c.x and c.x <= now then sweep(c) end
  return c
end
local function store(c, ...)
  c.n = math.max(0, math.min(MOST, c.n))
  if c.fresh then redis.call('DEL', c.key) end
  redis.call('HSET', c.key, 's', whole(c.s), 'n', whole(c.n), ...)
  if c.fresh then redis.call('PEXPIRE', c.key, whole(3 * c.size)) end
  c.fresh = false
end
`;

const script = (lua: string): RedisScript => defineScript(`${PRELUDE}${lua}`);

/**
 * Takes all demands or none. ARGV[3] length of a lease in ms; from ARGV[4] per demand: number of its key, length of the window
 * in ms, limit, cost, and 0 for room only, 1 for a cost, 2 for an estimate. Reply: 0 and per demand what is left, ms until the
 * end of the window, its start, and the number of the lease or 0; or the number of the demand that has no room, what its
 * window has left, and ms until its end.
 */
export const RESERVE = script(`
local counters, count = {}, (#ARGV - 3) / 5
for d = 1, count do
  local at = 5 * d - 1
  local k, limit, cost, mode = tonumber(ARGV[at]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3]), ARGV[at + 4]
  local c = counters[k]
  if not c then
    c = load(KEYS[k], tonumber(ARGV[at + 1]))
    c.take, c.number = 0, 0
    counters[k] = c
  end
  if c.n + cost > limit then return { d, math.max(0, limit - c.n), math.max(1, c.s + c.size - now) } end
  if mode ~= '0' then c.take = math.max(c.take, cost) end
  if mode == '2' then c.held = true end
end
for _, c in pairs(counters) do
  if c.take > 0 then
    c.n = c.n + c.take
    if c.held then
      local units, ends = 0, now + tonumber(ARGV[3])
      if c.lease then
        units, _, c.number = parse(c.lease)
        c.number = tonumber(c.number)
      else
        c.g = c.g + 1
        c.number = c.g
      end
      if not c.x or ends < c.x then c.x = ends end
      local lease = whole(units + c.take) .. ':' .. whole(ends) .. ':' .. whole(c.number)
      store(c, own, lease, 'x', whole(c.x), 'g', whole(c.g))
    else
      store(c)
    end
  end
end
local reply = { 0 }
for d = 1, count do
  local at = 5 * d - 1
  local c = counters[tonumber(ARGV[at])]
  reply[#reply + 1] = math.max(0, tonumber(ARGV[at + 2]) - c.n)
  reply[#reply + 1] = math.max(0, c.s + c.size - now)
  reply[#reply + 1] = c.s
  reply[#reply + 1] = c.number
end
return reply
`);

/**
 * Corrects reservations. From ARGV[3] per key: length of the window in ms, start of the window of the reservation, number of
 * its lease or 0, units taken, units used. A lease that is gone has returned its units already: what was used counts in full.
 */
export const SETTLE = script(`
for k = 1, #KEYS do
  local at = 5 * k - 2
  local c = load(KEYS[k], tonumber(ARGV[at]))
  local start, number = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local taken, used = tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
  if c.s ~= start then
    if used > taken then
      c.n = c.n + used - taken
      store(c)
    end
  elseif c.fresh then
    if used > 0 then
      c.n = used
      store(c)
    end
  elseif number == 0 then
    c.n = c.n + used - taken
    store(c)
  else
    local units, ends, current
    if c.lease then units, ends, current = parse(c.lease) end
    if tonumber(current) == number then
      c.n = c.n + used - taken
      store(c, own, whole(math.max(0, units - taken)) .. ':' .. whole(ends) .. ':' .. current)
    else
      c.n = c.n + used
      store(c)
    end
  end
end
return 0
`);

/** Extends the leases of the process on the counters. ARGV[3] length of a lease in ms. */
export const RENEW = script(`
for k = 1, #KEYS do
  local lease = redis.call('HGET', KEYS[k], own)
  if lease then
    local units, _, number = parse(lease)
    redis.call('HSET', KEYS[k], own, whole(units) .. ':' .. whole(now + tonumber(ARGV[3])) .. ':' .. number)
  end
end
return 0
`);

/**
 * Adds units that were counted elsewhere, once: KEYS[1] remembers that it was done. From ARGV[3] per further key: length of
 * the window in ms, its start, and the units, which may be negative. A window that has ended is left out.
 */
export const ADD = script(`
if not redis.call('SET', KEYS[1], '1', 'NX', 'PX', 600000) then return 0 end
for k = 2, #KEYS do
  local at = 3 * k - 3
  local c = load(KEYS[k], tonumber(ARGV[at]))
  if c.s == tonumber(ARGV[at + 1]) then
    c.n = c.n + tonumber(ARGV[at + 2])
    store(c)
  end
end
return 1
`);
