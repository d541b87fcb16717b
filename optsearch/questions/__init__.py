"""Questions about the hidden board: what their answers tell, and answers that are known.

`questions` has the built-in ones, a function each, and those of users. `boards` asks many boards
at once, `channel` says how false answers are heard, `worth` computes what questions tell. `known`
makes a prior of answers.
"""

from optsearch.questions.known import known
from optsearch.questions.worth import QuestionWorth, ask

__all__ = ["QuestionWorth", "ask", "known"]
