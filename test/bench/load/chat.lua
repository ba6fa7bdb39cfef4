-- Sends the request in the file REQUEST: header lines, an empty line, the body. METHOD and TARGET are its method and path. With KEYS > 1
-- the text "{key}" in a header and in the path stands for 1 to KEYS, drawn anew for each request, and "{number}" in the body for the
-- number of the request. Prints one line that load/closed-loop.ts reads.

local PREPARED = 5000 -- requests that are made in advance: making one costs more than sending it

local function read_request()
  local file = assert(io.open(os.getenv("REQUEST"), "rb"))
  local headers = {}
  for line in file:lines() do
    if line == "" then break end
    local name, value = line:match("^([^:]+): (.*)$")
    headers[name] = value
  end
  local body = file:read("*a")
  file:close()
  return headers, body
end

local keys = tonumber(os.getenv("KEYS") or "1")
local method = os.getenv("METHOD") or "POST"
local target = os.getenv("TARGET")
local template, body = read_request()

local function with_key(text, number)
  local filled = text:gsub("{key}", tostring(number))
  return filled
end

local function headers_with(number)
  local headers = {}
  for name, value in pairs(template) do headers[name] = with_key(value, number) end
  return headers
end

local function body_with(number)
  local filled = body:gsub("{number}", tostring(number))
  return filled
end

wrk.method = method
wrk.path = with_key(target, 1)
wrk.body = body
wrk.headers = headers_with(1)

if keys > 1 then
  local requests = {}
  local at = 0
  function init()
    for i = 1, PREPARED do
      local key = math.random(keys)
      requests[i] = wrk.format(method, with_key(target, key), headers_with(key), body_with(i))
    end
  end
  function request()
    at = at % PREPARED + 1
    return requests[at]
  end
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format("RESULT requests=%d microseconds=%d p50=%d p99=%d failed=%d\n",
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
