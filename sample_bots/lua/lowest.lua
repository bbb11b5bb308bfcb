-- A bot for every game of the protocol: it wins each trick as cheaply as it can.
-- Its policy is `decide`; all the rest is the protocol.

local json = require("dkjson")

-- Ranks from low to high.
local ACE_TEN = "23456789JQKTA"
local PLAIN = "23456789TJQKA"
local ACE_LOW = "A23456789TJQK"

local Lowest = {}

local function complain(...)
   io.stderr:write("lowest: ", ...)
   io.stderr:write("\n")
end

local function is_card(action)
   return action:match("^[2-9TJQKA][SHDC]$") ~= nil
end

-- The ranks from low to high in this deal.
local function rank_order(view, rules)
   if view.contract == "sooli" and rules.sooli_ace == "low" then
      return ACE_LOW
   elseif view.game == "marjapussi" or view.game == "bondtolva" then
      return ACE_TEN
   end
   return rules.rank_order == "ace_ten" and ACE_TEN or PLAIN
end

-- The lowest card that wins the trick as it lies, else the lowest card; where there is no card to
-- play, the first legal action.
function Lowest.decide(view, legal, rules)
   local order = rank_order(view, rules)
   local function rank(card)
      return order:find(card:sub(1, 1), 1, true)
   end
   local function beats(card, other)
      local suit = card:sub(2)
      if suit == other:sub(2) then
         return rank(card) > rank(other)
      end
      return suit == view.trump
   end

   local best -- card of the trick
   for _, play in ipairs(view.trick) do
      local card = play[2]
      if not best or beats(card, best) then
         best = card
      end
   end
   local lowest, winner -- among the legal cards, and among those that win
   for _, card in ipairs(legal) do
      if is_card(card) then
         if not lowest or rank(card) < rank(lowest) then
            lowest = card
         end
         if best and beats(card, best) and (not winner or rank(card) < rank(winner)) then
            winner = card
         end
      end
   end
   if view.phase ~= "play" or not lowest then
      return legal[1]
   end
   return winner or lowest
end

local rules = {} -- of every table in play

-- What to do with a message, by its type; what is returned is the answer. Others are ignored.
local react = {}

function react.start(message)
   rules[message.table] = message.rules
end

react["end"] = function(message)
   if message.over then
      rules[message.table] = nil
   end
end

function react.ask(message)
   local action = Lowest.decide(message.view, message.legal, rules[message.table] or {})
   assert(action, "nothing is legal")
   return { type = "act", id = message.id, action = action }
end

function react.ping(message)
   return { type = "pong", id = message.id }
end

function react.fault(message)
   complain(json.encode(message))
end

function Lowest.answer(message)
   local reaction = react[message.type]
   return reaction and reaction(message)
end

local function say(message)
   io.stdout:write(json.encode(message), "\n")
   io.stdout:flush()
end

local function main()
   local token = os.getenv("REFEREE_TOKEN")
   if not token or not os.getenv("REFEREE_ENDPOINT") then
      complain("REFEREE_ENDPOINT or REFEREE_TOKEN is not set: a referee starts this bot")
      os.exit(1)
   end
   say({ type = "hello", protocol = { 1 }, token = token, name = "lowest-lua", tables = 64 })
   for line in io.lines() do
      local message = json.decode(line)
      local known, answer = pcall(Lowest.answer, message)
      if not known then
         complain("odd message ", line, ": ", tostring(answer))
      elseif answer then
         say(answer)
      elseif message.type == "bye" then
         return
      end
   end
end

if ... == "lowest" then -- loaded by its tests
   return Lowest
end
main()
