-- Replays the recorded conversations of the protocol, and checks the policy.

local json = require("dkjson")
local Lowest = require("lowest")

local failures, checks = 0, 0
local function check(good, ...)
   checks = checks + 1
   if not good then
      failures = failures + 1
      print("FAIL: " .. table.concat({ ... }, " "))
   end
end

-- The output of a shell command.
local function output(command)
   local pipe <close> = assert(io.popen(command))
   return pipe:read("a")
end

local function includes(list, sought)
   for _, one in ipairs(list) do
      if one == sought then
         return true
      end
   end
   return false
end

-- The messages of one side in some lines, those of a batch one by one.
local function said(who, lines)
   local found = {}
   for _, line in ipairs(lines) do
      if line.from == who then
         local whole = line.message
         local parts = whole.type == "batch" and whole.messages or { whole }
         table.move(parts, 1, #parts, #found + 1, found)
      end
   end
   return found
end

local games = {}

local function replay(path)
   local lines = {}
   for text in io.lines(path) do
      lines[#lines + 1] = json.decode(text)
   end
   local otherwise, recorded = lines[1].answers or {}, {}
   for _, act in ipairs(said("bot", lines)) do
      if act.type == "act" then
         recorded[act.id] = act.action
      end
   end
   for _, message in ipairs(said("referee", lines)) do
      local answer = Lowest.answer(message) or {}
      local told = path .. ": " .. json.encode(answer) .. " to " .. json.encode(message)
      if message.type == "ask" then
         check(answer.type == "act" and answer.id == message.id, told)
         check(includes(message.legal, answer.action), told)
         if message.view.phase ~= "play" and not otherwise[tostring(message.id)] then
            check(answer.action == recorded[message.id], told)
         end
         games[message.view.game] = true
      elseif message.type == "ping" then
         check(answer.type == "pong" and answer.id == message.id, told)
      else
         check(next(answer) == nil, told)
      end
   end
end

for path in output("ls ../../protocol/vectors/*.jsonl"):gmatch("%S+") do
   replay(path)
end
for _, game in ipairs({ "huutopussi", "marjapussi", "bondtolva", "tuppi", "minnesota" }) do
   check(games[game], "no conversation asks about", game)
end

local function words(text)
   local found = {}
   for word in text:gmatch("%S+") do
      found[#found + 1] = word
   end
   return found
end

-- The trick and the legal actions as text, then what differs in the view, and the rules.
local function expect(expected, trick, legal, other, rules)
   local view = { game = "minnesota", phase = "play", trick = {} }
   for _, card in ipairs(words(trick)) do
      table.insert(view.trick, { 0, card })
   end
   for key, value in pairs(other or {}) do
      view[key] = value
   end
   local action = Lowest.decide(view, words(legal), rules or {})
   check(action == expected, tostring(action), "instead of", expected)
end

local sooli = { game = "tuppi", contract = "sooli" }
expect("pass", "", "pass bid:50", { phase = "bid" })
expect("give:KS", "", "give:KS give:6H", { phase = "give" })
expect("7H", "", "KS 7H whole declare:S")
expect("JS", "TS", "2S JS AS")
expect("9S", "AS", "QS 9S")
expect("8H", "AS 5H KS", "4H 8H 9H", { trump = "H" })
expect("TS", "KS", "JS TS", { game = "marjapussi" })
expect("7S", "TS", "7S KS", {}, { rank_order = "ace_ten" })
expect("KS", "TS", "7S KS", {}, { rank_order = "plain" })
expect("AS", "", "2S AS", sooli, { sooli_ace = "low" })
expect("AS", "KS", "4S AS", sooli, { sooli_ace = "high" })

-- What the program prints to some lines, and what it says on standard error.
local function told(lines, environment)
   local program = arg[-1] .. " lowest.lua 2>&1"
   return output("printf '" .. lines .. "' | env -i PATH=$PATH " .. environment .. " " .. program)
end

local started = "REFEREE_ENDPOINT=stdio REFEREE_TOKEN=5eed"
local odd = told([[nonsense\n3\n{"type":"ask"}\n{"type":"ping","id":4}\n]], started)
check(odd:find('"token":"5eed"', 1, true), "no hello in", odd)
check(odd:find("odd message nonsense", 1, true), "odd messages are not told:", odd)
check(odd:find('"pong"', 1, true), "odd messages stop it:", odd)
local left = told([[{"type":"bye"}\n{"type":"ping","id":4}\n]], started)
check(not left:find("pong", 1, true), "plays on after bye:", left)
local alone = told("", "REFEREE_ENDPOINT=stdio")
check(alone:find("REFEREE_TOKEN is not set", 1, true), "without a referee it says:", alone)

print(("%d checks, %d failures"):format(checks, failures))
os.exit(failures == 0)
