# want: [[1.25,2.5,3.75],0.5,2.0,["a"],-1.0]
import statistics as s
def run(ctx):
    return [s.quantiles([1, 2, 3, 4]), s.NormalDist(0, 1).cdf(0), s.linear_regression([1, 2, 3], [2, 4, 6]).slope, s.multimode("aab"), s.correlation([1, 2, 3], [3, 2, 1])]
