-- wrk sends each request of a file once. The file holds whole HTTP requests, each
-- ended by a zero byte: wrk -s requests.lua URL -- FILE
local requests, sent = {}, 0

function init(arguments)
   local file = assert(io.open(arguments[1], "rb"))
   for request in file:read("*a"):gmatch("([^%z]+)%z") do
      requests[#requests + 1] = request
   end
   file:close()
end

-- Past the last one a request that is refused, so that running out is seen.
function request()
   sent = sent + 1
   return requests[sent] or "GET /out-of-requests HTTP/1.1\r\nHost: bench\r\n\r\n"
end

function done(summary, latency)
   local errors = summary.errors
   local broken = errors.connect + errors.read + errors.write + errors.timeout
   io.write(string.format("\nRESULT %d %d %d %d %d %d\n",
      summary.requests, summary.duration, broken, errors.status,
      latency:percentile(50), latency:percentile(99)))
end
